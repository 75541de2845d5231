-- For tables that are to be intersected: their rows need an id.

CREATE PERFETTO MACRO _ii_subquery(tab TableOrSubquery) RETURNS TableOrSubquery AS (
  SELECT _auto_id AS id, * FROM $tab
);

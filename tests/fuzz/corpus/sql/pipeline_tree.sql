FROM (SELECT 1 AS id, 2 AS parent_id, 3 AS v) AS t |> TREE ACCUMULATE UP SUM(t.v) AS up, SUM(v) AS w |> SET v = t.up |> DROP up, w |> EXTEND t.v, v AS x;

SELECT count(*) FROM (SELECT DISTINCT slice_out AS id FROM flow) s JOIN following_flow(s.id) f;

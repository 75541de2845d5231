CREATE VIEW own_metric_output AS
SELECT OwnMetric('parts', RepeatedField(OwnMetric_Part('name', name, 'size', iif(dur > 100, 'BIG', 'SMALL'))))
FROM (SELECT 'a' AS name, 1 AS dur UNION ALL SELECT 'b', 200);

-- cluster_core_type(cluster, core_type): what the CPUs of a cluster are called, the slowest first.
DROP TABLE IF EXISTS cluster_core_type;
CREATE TABLE cluster_core_type AS
SELECT column1 AS cluster, column2 AS core_type
FROM (VALUES (0, 'little'), (1, 'big'), (2, 'bigger'));

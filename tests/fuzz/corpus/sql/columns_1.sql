SELECT name, count(*) AS n, sum(dur) FILTER (WHERE depth > 0) AS total FROM slice WHERE name GLOB '*r*' OR dur BETWEEN 1 AND 5 GROUP BY name HAVING n > 1 ORDER BY total DESC LIMIT 5 OFFSET 1;

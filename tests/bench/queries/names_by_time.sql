SELECT name, count(*), sum(dur), max(dur) FROM slice GROUP BY name ORDER BY sum(dur) DESC LIMIT 40;

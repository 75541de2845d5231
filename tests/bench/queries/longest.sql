SELECT id, name, dur FROM slice ORDER BY dur DESC LIMIT 100;

SELECT count(*), max(dur) FROM slice WHERE name GLOB '*[tT]ransaction*';

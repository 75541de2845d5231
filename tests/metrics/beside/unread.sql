CREATE VIEW unread_output AS SELECT 1;

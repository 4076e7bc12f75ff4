-- Roles belong to the whole server, which several databases like this one share. The first one owns what the examples use,
-- the others may do everything it may.
DO $$
BEGIN
  PERFORM pg_advisory_xact_lock(1);
  IF to_regrole('app') IS NULL THEN
    CREATE ROLE app LOGIN;
    CREATE ROLE app_without_tables LOGIN IN ROLE app;
    CREATE ROLE app_impatient LOGIN IN ROLE app;
    CREATE ROLE app_with_few_connections LOGIN CONNECTION LIMIT 3 IN ROLE app;
    ALTER ROLE app SET statement_timeout = '10s';
    ALTER ROLE app_without_tables SET search_path = nowhere;
    ALTER ROLE app_impatient SET lock_timeout = '200ms';
  END IF;
END $$;
GRANT ALL ON SCHEMA public TO app;
SET ROLE app;

-- What the examples of the documentation read and write.
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL DEFAULT 0);
CREATE TABLE accounts (id bigint PRIMARY KEY, balance int NOT NULL DEFAULT 0, checked timestamptz);
CREATE TABLE item (id int PRIMARY KEY, name text);
CREATE TABLE jobs (id bigint PRIMARY KEY, status text NOT NULL, priority int NOT NULL, created int NOT NULL, name text NOT NULL);
CREATE TABLE tickets (project int NOT NULL, number int NOT NULL);
CREATE TABLE ledger (day int PRIMARY KEY, amount int NOT NULL DEFAULT 0, closed boolean NOT NULL DEFAULT false);
CREATE TABLE days (day int PRIMARY KEY, closed boolean NOT NULL DEFAULT false);
CREATE TABLE total (amount bigint);
CREATE TABLE incident (id int PRIMARY KEY, duplicate_of int);
CREATE TABLE projects (id int PRIMARY KEY, name text);
CREATE MATERIALIZED VIEW totals AS SELECT sum(amount) AS amount FROM ledger;

INSERT INTO account SELECT n, 100 FROM generate_series(1, 10) n;
INSERT INTO accounts SELECT n, 100 FROM generate_series(1, 10) n;
INSERT INTO item SELECT n, 'item ' || n FROM generate_series(1, 10) n;
-- A hundred jobs, ten of them queued.
INSERT INTO jobs SELECT n, CASE WHEN n % 10 = 0 THEN 'queued' ELSE 'done' END, n % 7, 101 - n, 'job ' || n FROM generate_series(1, 100) n;
INSERT INTO tickets VALUES (1, 1);
INSERT INTO ledger SELECT n, n FROM generate_series(1, 10) n;
INSERT INTO days SELECT n FROM generate_series(1, 10) n;
INSERT INTO incident VALUES (1, NULL), (2, 1);
INSERT INTO projects VALUES (1, 'one');

RESET ROLE;

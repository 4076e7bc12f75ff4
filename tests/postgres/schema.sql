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

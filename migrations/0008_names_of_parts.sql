-- The number of a part changes when a deployment moves parts. With its name, the job sees that, and starts the pass again.
set local lock_timeout = '2s';
alter table locale_changes add column part_name text;

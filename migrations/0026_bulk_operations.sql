-- Bulk operations: files of requests, which a job performs in the name of the client that sent them.
set local lock_timeout = '2s';

create table bulk_operations (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'FINISHED', 'CANCELLED', 'FAILED')),
  -- {subject, client, person, scopes, permissions, token: {id, issuedAt}, traceparent}: the caller, with the grants of that request.
  actor jsonb not null,
  request_id text not null,
  origin text not null,
  api_version text not null,
  locale text not null,
  is_strict boolean not null,
  stops_on_error boolean not null,
  is_dry_run boolean not null,
  lines int not null,
  bytes int not null,
  -- The number of lines from the beginning that have been performed. Later ones may have a result as well.
  processed int not null default 0,
  succeeded int not null default 0,
  failed int not null default 0,
  assumed int not null default 0,
  -- The first problems: [{line, status, problem}].
  problems jsonb not null default '[]',
  -- The slug of the problem that ended the operation.
  failure text,
  started_at timestamptz,
  finished_at timestamptz,
  -- The worker that performs the next lines, and until when. A worker without the lease commits nothing.
  lease uuid,
  leased_until timestamptz not null default '-infinity',
  primary key (tenant_id, id)
);
create index bulk_operations_created on bulk_operations (tenant_id, created_at desc, id);
create index bulk_operations_updated on bulk_operations (tenant_id, updated_at, id);
create index bulk_operations_unfinished on bulk_operations (tenant_id, created_at) where finished_at is null;
create index bulk_operations_finished on bulk_operations (tenant_id, finished_at) where finished_at is not null;
insert into resource_kinds values ('bulk_operations', 145);
call protect('bulk_operations');

-- The file of an operation in pieces, which are stored before the operation. Their age alone decides when they are deleted.
create table bulk_operation_pieces (
  tenant_id uuid not null references tenants on delete cascade,
  operation_id uuid not null,
  -- The number of its first line, from 1.
  first_line int not null,
  content text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, operation_id, first_line)
);
create index bulk_operation_pieces_created on bulk_operation_pieces (tenant_id, created_at);
call protect('bulk_operation_pieces');

create table bulk_operation_results (
  tenant_id uuid not null,
  operation_id uuid not null,
  line int not null,
  status smallint not null,
  is_assumed boolean not null,
  -- The IRI of the resource that the line created or changed.
  resource text,
  -- The problem of a rejected line, as JSON.
  problem text,
  primary key (tenant_id, operation_id, line),
  foreign key (tenant_id, operation_id) references bulk_operations (tenant_id, id) on delete cascade
);
create index bulk_operation_results_failed on bulk_operation_results (tenant_id, operation_id, line) where problem is not null;
call protect('bulk_operation_results');

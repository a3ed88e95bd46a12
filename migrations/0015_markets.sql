-- Markets: the channels, countries and currencies in which a tenant sells, each with a key.
set local lock_timeout = '2s';

create table markets (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  key text not null check (key ~ '^[a-z][a-z0-9_-]{0,63}$'),
  channel text not null check (channel ~ '^[A-Za-z0-9_.:-]{1,255}$'),
  country text not null check (country ~ '^[A-Z]{2}$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  document text not null,
  primary key (tenant_id, id),
  constraint markets_key unique (tenant_id, key)
);
create index markets_created on markets (tenant_id, created_at desc, id);
create index markets_updated on markets (tenant_id, updated_at, id);
insert into resource_kinds values ('markets', 135);
call protect('markets');

-- Campaigns: named sales over many products. A sale offer may refer to one.
set local lock_timeout = '2s';

create table campaigns (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  document text not null,
  primary key (tenant_id, id),
  constraint campaigns_external_id unique (tenant_id, external_id)
);
create index campaigns_created on campaigns (tenant_id, created_at desc, id);
create index campaigns_updated on campaigns (tenant_id, updated_at, id);
insert into resource_kinds values ('campaigns', 136);
call protect('campaigns');

alter table sale_offers add column campaign_id uuid;
-- Earlier rows have no campaign, so that it has nothing to validate.
alter table sale_offers add constraint sale_offers_campaign foreign key (tenant_id, campaign_id) references campaigns (tenant_id, id) not valid;

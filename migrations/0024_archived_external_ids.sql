-- Upserts find an archived row by its external id, if no live row has it.
set lock_timeout = '1min';
drop index concurrently if exists products_archived_external_id;
create index concurrently products_archived_external_id on products (tenant_id, external_id)
  where status = 'ARCHIVED' and external_id is not null;
drop index concurrently if exists sale_offers_archived_external_id;
create index concurrently sale_offers_archived_external_id on sale_offers (tenant_id, external_id)
  where status = 'ARCHIVED' and external_id is not null;
drop index concurrently if exists purchase_offers_archived_external_id;
create index concurrently purchase_offers_archived_external_id on purchase_offers (tenant_id, external_id)
  where status = 'ARCHIVED' and external_id is not null;

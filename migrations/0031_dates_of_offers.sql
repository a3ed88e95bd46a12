-- The dates at which offers begin and cease to apply limit their lists, whatever the status.
set lock_timeout = '1min';
drop index concurrently if exists sale_offers_valid_from;
create index concurrently sale_offers_valid_from on sale_offers (tenant_id, valid_from) where status <> 'ARCHIVED' and valid_from is not null;
drop index concurrently if exists sale_offers_begin;
drop index concurrently if exists sale_offers_valid_until;
create index concurrently sale_offers_valid_until on sale_offers (tenant_id, valid_until) where status <> 'ARCHIVED' and valid_until is not null;
drop index concurrently if exists sale_offers_end;
drop index concurrently if exists purchase_offers_valid_from;
create index concurrently purchase_offers_valid_from on purchase_offers (tenant_id, valid_from)
  where status <> 'ARCHIVED' and valid_from is not null;
drop index concurrently if exists purchase_offers_begin;
drop index concurrently if exists purchase_offers_valid_until;
create index concurrently purchase_offers_valid_until on purchase_offers (tenant_id, valid_until)
  where status <> 'ARCHIVED' and valid_until is not null;
drop index concurrently if exists purchase_offers_end;

-- Filters and orders of lists that were answered by looking at every row.

-- Offers that are to begin, and those that have ended, are found by that moment.
create index sale_offers_begin on sale_offers (tenant_id, valid_from) where status = 'ACTIVE' and valid_from is not null;
create index sale_offers_end on sale_offers (tenant_id, valid_until) where status = 'ACTIVE' and valid_until is not null;
create index purchase_offers_begin on purchase_offers (tenant_id, valid_from) where status = 'ACTIVE' and valid_from is not null;
create index purchase_offers_end on purchase_offers (tenant_id, valid_until) where status = 'ACTIVE' and valid_until is not null;

create index categories_any_position on categories (tenant_id, position, id);
create index collections_type on collections (tenant_id, type, created_at desc, id);
create index option_values_any_external_id on option_values (tenant_id, external_id) where external_id is not null;
create index option_values_by_title on option_values (tenant_id, title, id);
create index option_values_by_position on option_values (tenant_id, position, id);

-- Drafts as well as those that are active.
create index metaobjects_status on metaobjects (tenant_id, status, created_at desc, id);
drop index metaobjects_created_active;
create index categories_roots on categories (tenant_id, position, id) where parent_id is null;

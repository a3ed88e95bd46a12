-- The ids, versions and hashes of each resource in an export, so that POST /api/sync/differences reads an index alone.
set lock_timeout = '1min';
drop index concurrently if exists products_sums;
create index concurrently products_sums on products (tenant_id, id, version, sync_range(id), sync_value(id, version)) where status <> 'ARCHIVED';
drop index concurrently if exists product_options_sums;
create index concurrently product_options_sums on product_options (tenant_id, id, version, sync_range(id), sync_value(id, version))
  where not product_archived;
drop index concurrently if exists option_values_sums;
create index concurrently option_values_sums on option_values (tenant_id, id, version, sync_range(id), sync_value(id, version))
  where not product_archived;
drop index concurrently if exists variants_sums;
create index concurrently variants_sums on variants (tenant_id, id, version, sync_range(id), sync_value(id, version), product_id)
  where status = 'ACTIVE' and not product_archived;
drop index concurrently if exists categories_sums;
create index concurrently categories_sums on categories (tenant_id, id, version, sync_range(id), sync_value(id, version));
drop index concurrently if exists collections_sums;
create index concurrently collections_sums on collections (tenant_id, id, version, sync_range(id), sync_value(id, version));
drop index concurrently if exists metaobjects_sums;
create index concurrently metaobjects_sums on metaobjects (tenant_id, id, version, sync_range(id), sync_value(id, version), status);
drop index concurrently if exists sale_offers_sums;
create index concurrently sale_offers_sums on sale_offers (tenant_id, id, version, sync_range(id), sync_value(id, version)) where status <> 'ARCHIVED';
drop index concurrently if exists purchase_offers_sums;
create index concurrently purchase_offers_sums on purchase_offers (tenant_id, id, version, sync_range(id), sync_value(id, version))
  where status <> 'ARCHIVED';

-- The few variants whose offers are inactive because the variant or its product is archived.
set lock_timeout = '1min';
drop index concurrently if exists variants_archived;
create index concurrently variants_archived on variants (tenant_id, id) where status <> 'ACTIVE' or product_archived;

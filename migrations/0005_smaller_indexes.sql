-- A variant has at most 1,000 offers and a product at most 2,000 variants: sorting them costs less than an order in each index.
-- Without the order, Postgres stores a variant once for all of its offers, active ones included.
set lock_timeout = '1min';
drop index concurrently if exists sale_offers_of_variant;
create index concurrently sale_offers_of_variant on sale_offers (tenant_id, variant_id);
drop index concurrently if exists sale_offers_variant;
drop index concurrently if exists sale_offers_price;
-- variants_position finds the variants of a product.
drop index concurrently if exists variants_created;
drop index concurrently if exists variants_updated;

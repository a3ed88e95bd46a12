-- Lists by prices with filters by variants read both from indexes alone.
set lock_timeout = '1min';
drop index concurrently if exists variants_matching;
create index concurrently variants_matching on variants (tenant_id, product_id, position) include (id) where status = 'ACTIVE';
drop index concurrently if exists variant_prices_cheapest;
create index concurrently variant_prices_cheapest on variant_prices (tenant_id, market_id, amount, product_id)
  include (from_at, until_at, variant_id, is_reduced) where is_live;
drop index concurrently if exists variant_prices_amount;

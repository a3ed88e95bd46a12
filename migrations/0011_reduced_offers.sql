-- Offers with a price to compare with, which /api/price_announcements reads.
set lock_timeout = '1min';
drop index concurrently if exists sale_offers_reduced;
create index concurrently sale_offers_reduced on sale_offers (tenant_id, id) where status = 'ACTIVE' and compare_at_amount is not null;

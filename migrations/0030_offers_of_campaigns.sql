-- The sale offers of a campaign, newest first. A count of those that are not archived reads the index alone.
set lock_timeout = '1min';
drop index concurrently if exists sale_offers_of_campaign;
create index concurrently sale_offers_of_campaign on sale_offers (tenant_id, campaign_id, created_at desc, id) include (status)
  where campaign_id is not null;

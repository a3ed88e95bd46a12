-- The channels that a product had when it was archived, which restoring it brings back. The events contain those
-- of products that were archived before this migration.
alter table products add column archived_channels text[] not null default '{}';

update products p
   set archived_channels = array(select jsonb_array_elements_text(a.channels))
  from (
    select distinct on (e.tenant_id, e.resource_id) e.tenant_id, e.resource_id,
           (select change -> 'before' from jsonb_array_elements(e.changes) as change where change ->> 'path' = 'channels') as channels
      from events e
     where e.kind = 'products' and e.topic = 'product/deleted'
     order by e.tenant_id, e.resource_id, e.sequence desc
  ) a
 where p.tenant_id = a.tenant_id and p.id = a.resource_id and p.status = 'ARCHIVED' and jsonb_typeof(a.channels) = 'array';

call make_writers();

-- As before, with the product that has the name.
drop function product_names_conflicting(uuid, text, text, boolean);
create function product_names_conflicting(own uuid, written_handle text, written_external_id text, restores boolean)
  returns table (kind text, value text, product_id uuid, product_title text)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  wanted_handle text;
  wanted_external_id text;
begin
  -- Read first: a comparison with an expression over another row finds no index behind row security.
  select coalesce(written_handle, p.handle), coalesce(written_external_id, p.external_id) into wanted_handle, wanted_external_id
    from products p where p.tenant_id = tenant and p.id = own and (p.status <> 'ARCHIVED' or restores);
  return query
    select 'handle', p.handle, p.id, p.title from products p
     where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.id <> own and p.handle = wanted_handle
    union all
    select 'externalId', p.external_id, p.id, p.title from products p
     where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.id <> own and p.external_id = wanted_external_id;
  if restores then
    return query
      select c.kind, c.value, c.product_id, (select p.title from products p where p.tenant_id = tenant and p.id = c.product_id)
        from (
          select 'sku' as kind, o.sku as value, o.product_id from variants v
            join variants o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id and o.sku = v.sku and o.status = 'ACTIVE'
           where v.tenant_id = tenant and v.product_id = own and v.status = 'ACTIVE'
          union all
          select 'variantExternalId', o.external_id, o.product_id from variants v
            join variants o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id
                           and o.external_id = v.external_id and o.status = 'ACTIVE'
           where v.tenant_id = tenant and v.product_id = own and v.status = 'ACTIVE'
          union all
          select 'optionExternalId', o.external_id, o.product_id from product_options v
            join product_options o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id and o.external_id = v.external_id
           where v.tenant_id = tenant and v.product_id = own
          union all
          select 'valueExternalId', o.external_id, o.product_id from option_values v
            join option_values o on o.tenant_id = tenant and not o.product_archived and o.product_id <> v.product_id and o.external_id = v.external_id
           where v.tenant_id = tenant and v.product_id = own
        ) c;
  end if;
end
$$;

-- Other hosts than the tenant's own from which its /admin loads pictures over https. Postgres 15 adds no column with a default to a
-- table whose rows a function takes.
alter table tenants add column image_hosts text[];
alter table tenants alter column image_hosts set default '{}';
update tenants set image_hosts = default;
alter table tenants alter column image_hosts set not null,
  add constraint tenants_image_hosts check (
    cardinality(image_hosts) <= 20 and array_position(image_hosts, null) is null and array_to_string(image_hosts, ',') ~ '^[a-z0-9.,-]*$');

create or replace function settings_of(t tenants) returns jsonb
  language sql stable set search_path = pg_catalog, public
  begin atomic
    select jsonb_build_object(
      'id', t.id, 'host', t.host,
      'hosts', (select jsonb_agg(h.host order by h.host <> t.host, h.host) from tenant_hosts h where h.tenant_id = t.id),
      'name', t.name, 'isSuspended', t.status <> 'ACTIVE',
      'locales', t.locales, 'arriving', t.arriving, 'leaving', t.leaving,
      'defaultApiVersion', t.default_api_version, 'issuer', t.issuer, 'audience', t.audience,
      'jwks', t.jwks, 'jwksUri', t.jwks_uri, 'algorithms', t.algorithms, 'tokenProfile', t.token_profile,
      'tokensValidAfter', t.tokens_valid_after,
      'revokedTokens', (select coalesce(jsonb_agg(r.jti), '[]') from revoked_tokens r
                         where r.tenant_id = t.id and r.expires_at > now()),
      'limits', jsonb_build_object('webhookSubscriptions', t.webhook_subscriptions_limit,
                                   'webhookSubscriptionsPerHost', t.webhook_host_limit),
      'priorPriceDays', t.prior_price_days, 'timeZone', t.time_zone, 'imageHosts', t.image_hosts);
  end;

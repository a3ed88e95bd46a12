-- The functions that save, delete and link rows: one save_<table>() for each table of resources. rows: JSON objects by column name.
-- A row with a new id is inserted, one with a known id is updated. An update leaves columns that never change, or that other steps write.
-- A row that has another version than expected raises PC412, also if the same write arrives twice: its first arrival has inserted the row.
-- times: the moments of the rows' changes, one each; '-infinity' for a row whose times stamp_rows() sets later in the write.

create or replace function next_version(stored int, given int) returns int language plpgsql immutable as $$
begin
  if given <> stored + 1 then
    raise exception 'version' using errcode = 'PC412';
  end if;
  return given;
end $$;

create or replace function save_products(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into products as t (tenant_id, id, version, created_at, updated_at, external_id, handle, status, title, vendor, product_type, metaobject_ids,
    document, translations, archived_channels)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, handle, status, title, vendor, product_type,
         metaobject_ids, document, translations, coalesce(archived_channels, '{}')
    from jsonb_populate_recordset(null::products, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, handle = excluded.handle, status = excluded.status, title = excluded.title, vendor = excluded.vendor,
    product_type = excluded.product_type, metaobject_ids = excluded.metaobject_ids, document = excluded.document,
    translations = excluded.translations;
end $$;

create or replace function save_product_options(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into product_options as t (tenant_id, id, version, created_at, updated_at, external_id, product_id, position, title, product_archived,
    document, translations)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, product_id, position, title,
         coalesce(product_archived, false), document, translations
    from jsonb_populate_recordset(null::product_options, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, position = excluded.position, title = excluded.title, document = excluded.document,
    translations = excluded.translations;
end $$;

create or replace function save_option_values(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into option_values as t (tenant_id, id, version, created_at, updated_at, external_id, product_id, option_id, position, title,
    product_archived, document, translations)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, product_id, option_id, position, title,
         coalesce(product_archived, false), document, translations
    from jsonb_populate_recordset(null::option_values, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, position = excluded.position, title = excluded.title, document = excluded.document,
    translations = excluded.translations;
end $$;

create or replace function save_variants(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into variants as t (tenant_id, id, version, created_at, updated_at, external_id, product_id, status, position, sku, barcode,
    option_value_ids, combination, product_archived, sale_offer_count, purchase_offer_count, metaobject_ids, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, product_id, status, position, sku, barcode,
         option_value_ids, combination, coalesce(product_archived, false), coalesce(sale_offer_count, 0), 0, metaobject_ids, document
    from jsonb_populate_recordset(null::variants, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, status = excluded.status, position = excluded.position, sku = excluded.sku, barcode = excluded.barcode,
    option_value_ids = excluded.option_value_ids, combination = excluded.combination, metaobject_ids = excluded.metaobject_ids,
    document = excluded.document;
end $$;

-- New rows come behind the last child of their parent, in the order given. A row that exists keeps its place in the tree.
create or replace function save_categories(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into categories as t (tenant_id, id, version, created_at, updated_at, external_id, handle, title, parent_id, position, level, metaobject_ids,
    document, translations)
  select current_tenant(), r.id, r.version, times[r.ordinality], times[r.ordinality], r.external_id, r.handle, r.title, r.parent_id,
         case when r.parent_id is null
           then (select coalesce(max(c.position) + 1, 0) from categories c where c.tenant_id = current_tenant() and c.parent_id is null)
           else (select coalesce(max(c.position) + 1, 0) from categories c where c.tenant_id = current_tenant() and c.parent_id = r.parent_id)
         end + row_number() over (partition by r.parent_id order by r.ordinality) - 1,
         coalesce((select p.level + 1 from categories p where p.tenant_id = current_tenant() and p.id = r.parent_id), 0),
         r.metaobject_ids, r.document, r.translations
    from jsonb_populate_recordset(null::categories, rows) with ordinality as r
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, handle = excluded.handle, title = excluded.title, metaobject_ids = excluded.metaobject_ids,
    document = excluded.document, translations = excluded.translations;
end $$;

create or replace function save_collections(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into collections as t (tenant_id, id, version, created_at, updated_at, external_id, handle, type, title, rules, document, translations)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, handle, type, title, rules, document, translations
    from jsonb_populate_recordset(null::collections, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, handle = excluded.handle, title = excluded.title, rules = excluded.rules, document = excluded.document,
    translations = excluded.translations;
end $$;

create or replace function save_campaigns(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into campaigns as t (tenant_id, id, version, created_at, updated_at, external_id, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, document
    from jsonb_populate_recordset(null::campaigns, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, document = excluded.document;
end $$;

create or replace function save_sale_offers(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into sale_offers as t (tenant_id, id, version, created_at, updated_at, external_id, product_id, variant_id, campaign_id, status, channel,
    countries, currency, amount, compare_at_amount, valid_from, valid_until, priority, min_quantity, tax_included, reduction_reason, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, product_id, variant_id, campaign_id, status, channel,
         countries, currency, amount, compare_at_amount, valid_from, valid_until, priority, min_quantity, tax_included, reduction_reason, document
    from jsonb_populate_recordset(null::sale_offers, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, campaign_id = excluded.campaign_id, status = excluded.status, channel = excluded.channel,
    countries = excluded.countries, currency = excluded.currency, amount = excluded.amount, compare_at_amount = excluded.compare_at_amount, valid_from = excluded.valid_from,
    valid_until = excluded.valid_until, priority = excluded.priority, min_quantity = excluded.min_quantity, tax_included = excluded.tax_included,
    reduction_reason = excluded.reduction_reason, document = excluded.document;
end $$;

create or replace function save_purchase_offers(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into purchase_offers as t (tenant_id, id, version, created_at, updated_at, external_id, product_id, variant_id, status, supplier, currency,
    cost, valid_from, valid_until, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, product_id, variant_id, status, supplier, currency, cost,
         valid_from, valid_until, document
    from jsonb_populate_recordset(null::purchase_offers, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, status = excluded.status, supplier = excluded.supplier, currency = excluded.currency, cost = excluded.cost,
    valid_from = excluded.valid_from, valid_until = excluded.valid_until, document = excluded.document;
end $$;

create or replace function save_markets(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into markets as t (tenant_id, id, version, created_at, updated_at, key, channel, country, currency, prices_complete_at, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], key, channel, country, currency, prices_complete_at, document
    from jsonb_populate_recordset(null::markets, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    key = excluded.key, channel = excluded.channel, country = excluded.country, currency = excluded.currency, prices_complete_at = excluded.prices_complete_at,
    document = excluded.document;
end $$;

create or replace function save_search_synonyms(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into search_synonyms as t (tenant_id, id, version, created_at, updated_at, locale, lookup, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], locale, synonym_lookup(lookup), document
    from jsonb_populate_recordset(null::search_synonyms, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    locale = excluded.locale, lookup = excluded.lookup, document = excluded.document;
end $$;

create or replace function save_metaobject_definitions(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into metaobject_definitions as t (tenant_id, id, version, created_at, updated_at, external_id, type, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, type, document
    from jsonb_populate_recordset(null::metaobject_definitions, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, document = excluded.document;
end $$;

create or replace function save_metaobjects(rows jsonb, times timestamptz[]) returns void language plpgsql as $$ begin
  insert into metaobjects as t (tenant_id, id, version, created_at, updated_at, external_id, definition_id, handle, status, fields, translations,
    reference_ids, document)
  select current_tenant(), id, version, times[ordinality], times[ordinality], external_id, definition_id, handle, status, fields, translations,
         reference_ids, document
    from jsonb_populate_recordset(null::metaobjects, rows) with ordinality
  on conflict (tenant_id, id) do update set version = next_version(t.version, excluded.version), updated_at = excluded.updated_at,
    external_id = excluded.external_id, handle = excluded.handle, status = excluded.status, fields = excluded.fields,
    translations = excluded.translations, reference_ids = excluded.reference_ids, document = excluded.document;
end $$;

-- Replaces the links of their owners: products, or the variants of option values. New owners have none to delete.
create or replace function replace_links(name text, owners uuid[], rows jsonb) returns void language plpgsql as $$
declare
  tenant uuid := current_tenant();
begin
  case name
    when 'product_tags' then
      delete from product_tags t where t.tenant_id = tenant and t.product_id = any(owners);
      insert into product_tags (tenant_id, tag, product_id) select tenant, tag, product_id from jsonb_populate_recordset(null::product_tags, rows);
    when 'product_channels' then
      delete from product_channels t where t.tenant_id = tenant and t.product_id = any(owners);
      insert into product_channels (tenant_id, channel, product_id) select tenant, channel, product_id from jsonb_populate_recordset(null::product_channels, rows);
    when 'product_categories' then
      delete from product_categories t where t.tenant_id = tenant and t.product_id = any(owners);
      insert into product_categories (tenant_id, product_id, category_id, position)
      select tenant, product_id, category_id, position from jsonb_populate_recordset(null::product_categories, rows);
    when 'variant_option_values' then
      delete from variant_option_values t where t.tenant_id = tenant and t.variant_id = any(owners);
      insert into variant_option_values (tenant_id, option_value_id, variant_id)
      select tenant, option_value_id, variant_id from jsonb_populate_recordset(null::variant_option_values, rows);
  end case;
end $$;

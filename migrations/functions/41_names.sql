-- Names that are taken: handles, external ids and SKUs of products and their parts must be unique among the live ones of a tenant.

-- Returns those of some names that live rows have, with the row and its product. The conditions are those of the unique indexes, which
-- `liveRows` of src/core/name-holders.ts has for single tables.
-- names: {handle, externalId, sku, variantExternalId, optionExternalId, valueExternalId}, an array of each.
create or replace function names_in_use(names jsonb) returns table (kind text, value text, id uuid, product_id uuid)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  tenant uuid := current_tenant();
  handles text[] := array(select jsonb_array_elements_text(names -> 'handle'));
  external_ids text[] := array(select jsonb_array_elements_text(names -> 'externalId'));
  skus text[] := array(select jsonb_array_elements_text(names -> 'sku'));
  of_variants text[] := array(select jsonb_array_elements_text(names -> 'variantExternalId'));
  of_options text[] := array(select jsonb_array_elements_text(names -> 'optionExternalId'));
  of_values text[] := array(select jsonb_array_elements_text(names -> 'valueExternalId'));
begin
  return query
    select 'handle', p.handle, p.id, p.id from products p where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.handle = any(handles)
    union all
    select 'externalId', p.external_id, p.id, p.id from products p
     where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.external_id = any(external_ids)
    union all
    select 'sku', v.sku, v.id, v.product_id from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.sku = any(skus)
    union all
    select 'variantExternalId', v.external_id, v.id, v.product_id from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.external_id = any(of_variants)
    union all
    select 'optionExternalId', o.external_id, o.id, o.product_id from product_options o
     where o.tenant_id = tenant and not o.product_archived and o.external_id = any(of_options)
    union all
    select 'valueExternalId', o.external_id, o.id, o.product_id from option_values o
     where o.tenant_id = tenant and not o.product_archived and o.external_id = any(of_values);
end
$$;

-- Returns the names of a product, its own or the new ones, that another live product has, and that product.
-- If the product is restored, the names of its options, values and variants are compared too.
create or replace function product_names_conflicting(own uuid, written_handle text, written_external_id text, restores boolean)
  returns table (kind text, value text, product_id uuid, product_title text)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  names jsonb;
begin
  select jsonb_build_object('handle', jsonb_build_array(coalesce(written_handle, p.handle)),
                            'externalId', jsonb_build_array(coalesce(written_external_id, p.external_id))) into names
    from products p where p.tenant_id = tenant and p.id = own and (p.status <> 'ARCHIVED' or restores);
  if restores then
    names := names || jsonb_build_object(
      'sku', array(select v.sku from variants v where v.tenant_id = tenant and v.product_id = own and v.status = 'ACTIVE'),
      'variantExternalId', array(select v.external_id from variants v where v.tenant_id = tenant and v.product_id = own and v.status = 'ACTIVE'),
      'optionExternalId', array(select o.external_id from product_options o where o.tenant_id = tenant and o.product_id = own),
      'valueExternalId', array(select o.external_id from option_values o where o.tenant_id = tenant and o.product_id = own));
  end if;
  return query
    select n.kind, n.value, n.product_id, (select p.title from products p where p.tenant_id = tenant and p.id = n.product_id)
      from names_in_use(names) n where n.product_id <> own;
end
$$;

-- The next two functions are for deployed Workers of before names_in_use(). A later release deletes them.
create or replace function product_names_taken(names jsonb) returns table (kind text, value text)
  language sql stable begin atomic
  select n.kind, n.value from names_in_use(names) n;
end;

create or replace function variant_names_taken(skus text[], external_ids text[], own uuid) returns table (kind text, value text)
  language sql stable begin atomic
  select case n.kind when 'sku' then 'sku' else 'externalId' end, n.value
    from names_in_use(jsonb_build_object(
           'sku', skus || array(select v.sku from variants v where v.tenant_id = current_tenant() and v.id = own),
           'variantExternalId', external_ids || array(select v.external_id from variants v where v.tenant_id = current_tenant() and v.id = own))) n
   where n.id is distinct from own;
end;

-- Names that are taken: handles, external ids and SKUs must be unique among the live resources of a tenant.

-- Returns the names that live products and their parts already have, out of those that a new product has.
-- names: {handle, externalId, sku, variantExternalId, optionExternalId, valueExternalId}, an array of each.
create or replace function product_names_taken(names jsonb) returns table (kind text, value text)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
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
    select 'handle', p.handle from products p where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.handle = any(handles)
    union all
    select 'externalId', p.external_id from products p
     where p.tenant_id = tenant and p.status <> 'ARCHIVED' and p.external_id = any(external_ids)
    union all
    select 'sku', v.sku from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.sku = any(skus)
    union all
    select 'variantExternalId', v.external_id from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.external_id = any(of_variants)
    union all
    select 'optionExternalId', o.external_id from product_options o
     where o.tenant_id = tenant and not o.product_archived and o.external_id = any(of_options)
    union all
    select 'valueExternalId', o.external_id from option_values o
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
  wanted_handle text;
  wanted_external_id text;
begin
  -- Read first: behind row security, a comparison with a column of another row uses no index.
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

-- Returns the SKUs and external ids that live variants other than `own` already have.
-- The names of `own` are compared too, because it may be restored. They are read first:
-- behind row security, a comparison with a column of another row uses no index.
create or replace function variant_names_taken(skus text[], external_ids text[], own uuid) returns table (kind text, value text)
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  wanted_skus text[] := skus;
  wanted_external_ids text[] := external_ids;
begin
  if own is not null then
    select skus || v.sku, external_ids || v.external_id into wanted_skus, wanted_external_ids
      from variants v where v.tenant_id = tenant and v.id = own;
  end if;
  return query
    select 'sku', v.sku from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.sku = any(wanted_skus) and v.id is distinct from own
    union all
    select 'externalId', v.external_id from variants v
     where v.tenant_id = tenant and v.status = 'ACTIVE' and not v.product_archived and v.external_id = any(wanted_external_ids)
       and v.id is distinct from own;
end
$$;

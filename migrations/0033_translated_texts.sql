-- In which locales a row has every text that it has in any: what a locale lacks is found by an index, not by reading all rows.

-- `,en-US,fr-FR,`: each between commas, in one order; `*` of a row without texts, which lacks none anywhere.
create function translated_in(texts jsonb) returns text
  language plpgsql immutable parallel safe strict as $$
declare
  found text;
begin
  with pairs as (
    select l.key as locale, t.key as name
      from jsonb_each(texts) as l, jsonb_each(case jsonb_typeof(l.value) when 'object' then l.value else '{}' end) as t
     where t.value <> 'null'
  ), whole as (
    select locale from pairs group by locale having count(*) = (select count(distinct name) from pairs)
  )
  select case when exists (select from pairs)
              then ',' || coalesce((select string_agg(locale || ',', '' order by locale collate "C") from whole), '')
              else '*' end
    into found;
  return found;
end
$$;

alter table products add column translated_in text not null generated always as (translated_in(translations)) stored;
alter table product_options add column translated_in text not null generated always as (translated_in(translations)) stored;
alter table option_values add column translated_in text not null generated always as (translated_in(translations)) stored;
alter table categories add column translated_in text not null generated always as (translated_in(translations)) stored;
alter table collections add column translated_in text not null generated always as (translated_in(translations)) stored;

create index products_translated on products (tenant_id, translated_in, id) where status <> 'ARCHIVED';
create index product_options_translated on product_options (tenant_id, translated_in, id) where not product_archived;
create index option_values_translated on option_values (tenant_id, translated_in, id) where not product_archived;
create index categories_translated on categories (tenant_id, translated_in, id);
create index collections_translated on collections (tenant_id, translated_in, id);

call make_writers();

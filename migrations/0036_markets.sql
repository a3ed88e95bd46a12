-- In which countries a tenant sells is found by an index of the sets of countries that offers have, of which there are few, and not by
-- reading all offers. A set is a text, since row security keeps comparisons of arrays from an index.

-- `DE,FR`; empty where an offer is for every country.
create function country_set(countries text[]) returns text
  language plpgsql immutable parallel safe strict as $$
begin
  return array_to_string(countries, ',');
end
$$;

-- Was facd5ad3a2c8537ce87a8a385b25dc22a818eaf137b5cab54ddb56e19fc3d627, which makes the same: Postgres 15.20 writes no table anew whose
-- rows a function takes, which is made again behind it.
drop function offer_text(sale_offers);
alter table sale_offers add column country_set text collate "C" not null generated always as (country_set(countries)) stored;
create function offer_text(o sale_offers) returns text
  language sql stable parallel safe
  return concat(o.id, ',', o.channel, ',', array_to_string(o.countries, ' '), ',', o.currency, ',', o.amount, ',', o.compare_at_amount, ',',
                instant_text(o.valid_from), ',', instant_text(o.valid_until), ',', o.priority, ',', o.min_quantity, ',',
                o.tax_included, ',', o.status);
create index sale_offers_countries on sale_offers (tenant_id, country_set) where status <> 'ARCHIVED';

call make_writers();

-- In which countries a tenant sells is found by an index of the sets of countries that offers have, of which there are few, and not by
-- reading all offers. A set is a text, since row security keeps comparisons of arrays from an index.

-- `DE,FR`; empty where an offer is for every country.
create function country_set(countries text[]) returns text
  language plpgsql immutable parallel safe strict as $$
begin
  return array_to_string(countries, ',');
end
$$;

alter table sale_offers add column country_set text collate "C" not null generated always as (country_set(countries)) stored;
create index sale_offers_countries on sale_offers (tenant_id, country_set) where status <> 'ARCHIVED';

call make_writers();

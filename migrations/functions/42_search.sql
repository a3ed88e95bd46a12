-- Search. These functions belong to catalogue_search, which owns the table of words and bypasses its policy.
-- Each one is bound to the tenant of the session.

grant create on schema public to catalogue_search;
-- Loads the library that defines the setting pg_trgm.word_similarity_threshold.
select show_trgm('');

-- Stores the words of products: [{product_id, locale, config, title, description, lexemes, words}]; lexemes is the text of a tsvector.
-- The function reads SKUs and barcodes itself, so that no caller sends thousands of them. Variants that the write stores later
-- come with the first row of their product: {variants: [{id, sku, barcode, status}]}.
-- Products are indexed one by one: for many rows the planner overestimates the split codes and would compile the plan.
create or replace function index_products(products jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  tenant uuid := current_tenant();
  own record;
  written jsonb;
  codes tsvector;
begin
  for own in
    select (each ->> 'product_id')::uuid as id, jsonb_agg(each) as texts from jsonb_array_elements(products) as each group by 1 order by 1
  loop
    written := coalesce((select each -> 'variants' from jsonb_array_elements(own.texts) as each where each ? 'variants' limit 1), '[]');
    -- A tsvector has at most a megabyte: the codes get a fifth of it.
    select string_agg(format('''%s'':1B', fitting.code), ' ')::tsvector into codes from (
      select spelled.code, sum(octet_length(spelled.code)) over (order by spelled.code like '#%', spelled.code) <= 200000 as fits from (
        select distinct part.code
          from (
            select v.sku, v.barcode from variants v
             where v.tenant_id = tenant and v.product_id = own.id and v.status = 'ACTIVE'
               and v.id <> all(array(select (each ->> 'id')::uuid from jsonb_array_elements(written) as each))
            union all
            select each ->> 'sku', each ->> 'barcode' from jsonb_array_elements(written) as each where each ->> 'status' = 'ACTIVE'
          ) v
         cross join lateral regexp_replace(lower(v.sku), '[\s!-/:-@\[-`{-~]+', '', 'g') as joined_sku
         cross join lateral regexp_replace(lower(v.barcode), '[\s!-/:-@\[-`{-~]+', '', 'g') as joined_barcode
         cross join lateral unnest(
           regexp_split_to_array(lower(v.sku), '[\s!-/:-@\[-`{-~]+') || array[joined_sku, joined_barcode, '#' || joined_sku, '#' || joined_barcode]) as part(code)
         where part.code not in ('', '#')
      ) as spelled
    ) as fitting where fitting.fits;
    insert into product_search (tenant_id, product_id, locale, vector, words)
    select tenant, own.id, g.locale,
           setweight(to_tsvector(g.config, g.title), 'A') || setweight(to_tsvector(g.config, g.description), 'C')
             || g.lexemes::tsvector || coalesce(codes, ''),
           g.words
      from jsonb_to_recordset(own.texts) as g(locale text, config regconfig, title text, description text, lexemes text, words text)
    on conflict (tenant_id, product_id, locale) do update set vector = excluded.vector, words = excluded.words;
  end loop;
end
$$;
revoke all on function index_products(jsonb) from public;
grant execute on function index_products(jsonb) to catalogue_app;
alter function index_products(jsonb) owner to catalogue_search;

-- Returns the products of the session's tenant that have all words in a locale, with a rank. First are products whose title, SKU or
-- barcode is the search (3 million), then those where one begins with it (2), then those with all words in the title (1).
-- words: [{text, exact, near, letters}]. The first one also has title and code: the search as index_products() stores them whole. text: the text to stem. exact: the word as written (a tsquery). near: the word with one letter
-- omitted (a tsquery or null). letters: the text for trigrams (or null). The most similar words replace a word that no product has.
create or replace function search_products(spoken text, config regconfig, words jsonb) returns table (product_id uuid, rank int)
  language plpgsql stable security definer rows 100
  set search_path = pg_catalog, public, pg_temp
  set pg_trgm.word_similarity_threshold = 0.36
  -- For one row, the planner would scan the table and expect an early match. A word that no product has never matches.
  set enable_seqscan = off
  set enable_indexscan = off
  as $$
declare
  tenant uuid := current_tenant();
  word record;
  meant tsquery;
  whole tsquery := '''' || (words -> 0 ->> 'title') || ''' | ''' || (words -> 0 ->> 'code') || '''';
  beginning tsquery := '''' || (words -> 0 ->> 'title') || ''':* | ''' || (words -> 0 ->> 'code') || ''':*';
  in_title tsquery;
  wanted tsquery := '';
  corrected tsquery := '';
  -- A stop word counts only as the last word, which may be the beginning of another word.
  counted_words cursor for
    select w.n, w.near, w.letters, plainto_tsquery(config, w.text) || w.exact as exact
      from rows from (jsonb_to_recordset(words) as (text text, exact tsquery, near tsquery, letters text))
           with ordinality as w(text, exact, near, letters, n)
     where numnode(plainto_tsquery(config, w.text)) > 0 or w.n = jsonb_array_length(words);
begin
  for word in counted_words loop
    wanted := wanted && word.exact;
  end loop;
  if not exists (select from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ wanted) then
    for word in counted_words loop
      meant := word.exact;
      if not exists (select from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ meant) then
        meant := word.near;
      end if;
      if meant is null or not exists (select from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ meant) then
        select string_agg(format('''%s''', alike), ' | ')::tsquery into meant from (
          select alike from (
            select s.words from product_search s
             where s.tenant_id::text = tenant::text and s.locale || '' = spoken and word.letters <% s.words limit 500
          ) as candidates, unnest(string_to_array(candidates.words, ' ')) as alike
           where similarity(alike, word.letters) >= 0.3 and abs(length(alike) - length(word.letters)) <= 2
           group by alike order by similarity(alike, word.letters) desc, alike limit 3
        ) as nearest;
      end if;
      if meant is null then
        return;
      end if;
      corrected := corrected && meant;
    end loop;
    wanted := corrected;
  end if;
  in_title := regexp_replace(wanted::text, '''([^'']+)''(:(\*))?', '''\1'':A\3', 'g');
  return query
    select s.product_id, round(least(ts_rank(s.vector, wanted), 0.999999) * 1000000)::int + 1000000
             * case when s.vector @@ whole then 3 when s.vector @@ beginning then 2 when s.vector @@ in_title then 1 else 0 end
      from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ wanted;
end
$$;
revoke all on function search_products(text, regconfig, jsonb) from public;
grant execute on function search_products(text, regconfig, jsonb) to catalogue_app;
alter function search_products(text, regconfig, jsonb) owner to catalogue_search;

-- Deletes up to `most` rows of a locale from the words. Returns how many.
create or replace function unindex_locale(spoken text, most int) returns int
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  tenant uuid := current_tenant();
  amount int;
begin
  delete from product_search s where s.tenant_id = tenant and s.product_id in (
    select o.product_id from product_search o where o.tenant_id = tenant and o.locale = spoken limit most) and s.locale = spoken;
  get diagnostics amount = row_count;
  return amount;
end
$$;
revoke all on function unindex_locale(text, int) from public;
grant execute on function unindex_locale(text, int) to catalogue_app;
alter function unindex_locale(text, int) owner to catalogue_search;

revoke create on schema public from catalogue_search;

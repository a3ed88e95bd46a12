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

-- Returns {config, sets: [[{text, word, exact}]]} with `words`: the numbers of the sets that contain a word, by the word and by its stems.
create or replace function synonym_lookup(given jsonb) returns jsonb
  language plpgsql stable set jit = off as $$
begin
  return given || jsonb_build_object('words', (
    select coalesce(jsonb_object_agg(k.key, k.numbers), '{}') from (
      select key, jsonb_agg(distinct s.n - 1) as numbers
        from jsonb_array_elements(given -> 'sets') with ordinality as s(members, n), jsonb_array_elements(s.members) as w,
             unnest(tsvector_to_array(to_tsvector((given ->> 'config')::regconfig, w ->> 'text')) || (w ->> 'word')) as key
       group by key) k));
end
$$;

-- Adds the synonyms of the tenant to the words of a search, for understand_search(): at most 200, because a tsquery has at most a megabyte.
create or replace function with_synonyms(spoken text, config regconfig, words jsonb) returns jsonb
  language plpgsql stable set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  sets jsonb;
  set_numbers jsonb;
  word jsonb;
  synonyms text;
  number_of_synonyms int;
  remaining int := 200;
  result jsonb := '[]';
begin
  select s.lookup -> 'sets', s.lookup -> 'words' into sets, set_numbers
    from search_synonyms s where s.tenant_id = current_tenant() and s.locale = spoken;
  if sets is null then
    return words;
  end if;
  for word in select value from jsonb_array_elements(words) loop
    select string_agg(format('(%s)', plainto_tsquery(config, m ->> 'text') || (m ->> 'exact')::tsquery), ' | '), count(*)
      into synonyms, number_of_synonyms from (
      select m from (select distinct number::int from unnest(tsvector_to_array(to_tsvector(config, word ->> 'text')) || (word ->> 'word')) as key,
                            jsonb_array_elements(set_numbers -> key) as number) as s,
                    jsonb_array_elements(sets -> s.number) as m order by s.number limit remaining) as fitting;
    remaining := remaining - number_of_synonyms;
    result := result || (word || jsonb_build_object('exact', concat_ws(' | ', word ->> 'exact', synonyms)));
  end loop;
  return result;
end
$$;

-- Returns the words of products in a locale that contain some letters after their beginning, as a query: tasche gives 'handtasche'.
create or replace function words_with_part(spoken text, letters text) returns tsquery
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_indexscan = off as $$
declare
  tenant uuid := current_tenant();
begin
  return (select string_agg(format('%L', longer), ' | ')::tsquery from (
    select distinct longer from (
      select s.words from product_search s
       where s.tenant_id::text = tenant::text and s.locale || '' = spoken and s.words ~ ('[^ ]' || letters) limit 500
    ) as candidates, unnest(string_to_array(candidates.words, ' ')) as longer
     where strpos(longer, letters) > 1 and length(longer) <= 64 order by longer limit 50) as compounds);
end
$$;
revoke all on function words_with_part(text, text) from public;
grant execute on function words_with_part(text, text) to catalogue_app;
alter function words_with_part(text, text) owner to catalogue_search;

-- Returns whether a product in a locale matches a query. Most frequent words are among the newest products, so that the index is not read.
create or replace function has_matches(spoken text, query tsquery) returns boolean
  language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_indexscan = on as $$
declare
  tenant uuid := current_tenant();
begin
  if exists (select from (select s.vector from product_search s where s.tenant_id = tenant and s.locale = spoken
                           order by s.product_id desc limit 300) as newest where newest.vector @@ query) then
    return true;
  end if;
  -- For one row, the planner would scan the table and expect an early match. A word that no product has never matches.
  perform set_config('enable_indexscan', 'off', true);
  return exists (select from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ query);
end
$$;
revoke all on function has_matches(text, tsquery) from public;
grant execute on function has_matches(text, tsquery) to catalogue_app;
alter function has_matches(text, tsquery) owner to catalogue_search;

-- Returns the meaning of a search in a locale: `wanted` matches the result, `whole` the part of it that has the words of the search as whole
-- words. `corrections` is [{from, to, product}]: a word that no product has, the most frequent similar word, and a product with it.
-- words: [{text, exact, near, letters}]. text: the text to stem. exact: the word as written (a tsquery). near: the word with one letter
-- omitted (a tsquery or null). letters: the text for parts of words and for trigrams (or null). In languages that join words, a word is
-- also searched as a part of others. In the others it is if no product has the whole word. The most similar words replace a word that no
-- product has.
create or replace function understand_search(spoken text, config regconfig, words jsonb)
  returns table (wanted tsquery, whole tsquery, corrections jsonb)
  language plpgsql stable security definer rows 1
  set search_path = pg_catalog, public, pg_temp
  set pg_trgm.word_similarity_threshold = 0.36
  set enable_seqscan = off
  set enable_indexscan = off
  as $$
declare
  tenant uuid := current_tenant();
  -- Not in long searches, because each word is a look-up.
  joins_words boolean := config = any('{danish,dutch,finnish,german,hungarian,norwegian,swedish}'::regconfig[]) and jsonb_array_length(words) <= 8;
  word record;
  meant tsquery;
  similar_words text[];
  -- A stop word counts only as the last word, which may be the beginning of another word.
  counted_words cursor for
    select w.text, w.near, w.letters, x.exact, case when joins_words then x.exact || words_with_part(spoken, w.letters) end as joined
      from rows from (jsonb_to_recordset(words) as (text text, exact tsquery, near tsquery, letters text))
           with ordinality as w(text, exact, near, letters, n)
     cross join lateral (select plainto_tsquery(config, w.text) || w.exact as exact) x
     where numnode(plainto_tsquery(config, w.text)) > 0 or w.n = jsonb_array_length(words);
begin
  wanted := '';
  whole := '';
  corrections := '[]';
  for word in counted_words loop
    whole := whole && word.exact;
    wanted := wanted && coalesce(word.joined, word.exact);
  end loop;
  -- Without similar words there is nothing to correct.
  if words @? '$[*] ? (@.near != null || @.letters != null)' and not has_matches(spoken, wanted) then
    wanted := '';
    for word in counted_words loop
      meant := coalesce(word.joined, word.exact);
      if not has_matches(spoken, meant) then
        meant := case when not joins_words then words_with_part(spoken, word.letters) end;
        if meant is null then
          meant := word.near;
          -- The words that share a variation with the searched one, the most frequent first.
          select array_agg(alike order by products desc, alike) into similar_words from (
            select alike, count(*) as products from (
              select s.words from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ meant limit 200
            ) as candidates, unnest(string_to_array(candidates.words, ' ')) as alike
             where abs(length(alike) - length(word.letters)) <= 1 and meant @@ array_to_tsvector(array(
               select '~' || left(alike, n) || substr(alike, n + 2) from generate_series(0, length(alike)) as n))
             group by alike) as near_words;
        end if;
        if meant is null or not has_matches(spoken, meant) then
          select string_agg(format('%L', alike), ' | ')::tsquery, array_agg(alike) into meant, similar_words from (
            select alike from (
              select s.words from product_search s
               where s.tenant_id::text = tenant::text and s.locale || '' = spoken and length(word.letters) > 5
                 and word.letters <% s.words limit 500
            ) as candidates, unnest(string_to_array(candidates.words, ' ')) as alike
             where similarity(alike, word.letters) >= 0.3 and abs(length(alike) - length(word.letters)) <= 2
             group by alike order by similarity(alike, word.letters) desc, alike limit 3
          ) as nearest;
        end if;
        if similar_words is not null then
          corrections := corrections || jsonb_build_object('from', word.text, 'to', similar_words[1], 'product', (
            select s.product_id from product_search s
             where s.tenant_id = tenant and s.locale = spoken and s.vector @@ format('%L', similar_words[1])::tsquery limit 1));
          similar_words := null;
        end if;
      end if;
      wanted := wanted && meant;
    end loop;
    whole := wanted;
    corrections := case when wanted is null then '[]' else corrections end;
  end if;
  return next;
end
$$;
revoke all on function understand_search(text, regconfig, jsonb) from public;
grant execute on function understand_search(text, regconfig, jsonb) to catalogue_app;
alter function understand_search(text, regconfig, jsonb) owner to catalogue_search;

-- Returns the products of the session's tenant that match `wanted`, with a rank. First are products whose title, SKU or barcode is the
-- search (3 million), then those where one begins with it (2), those with all words in the title (1), and those with all words (0). Last
-- (-1) are those that have some only as parts of words. The title and the code are the search as index_products() stores them whole.
create or replace function rank_matches(spoken text, wanted tsquery, whole tsquery, title text, code text)
  returns table (product_id uuid, rank int)
  language plpgsql stable security definer rows 100
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_indexscan = off as $$
declare
  tenant uuid := current_tenant();
  is_name tsquery := format('%L | %L', title, code);
  begins_name tsquery := format('%L:* | %L:*', title, code);
  in_title tsquery := regexp_replace(whole::text, '''([^'']+)''(:(\*))?', '''\1'':A\3', 'g');
begin
  return query
    select s.product_id, round(least(ts_rank(s.vector, wanted), 0.999999) * 1000000)::int + 1000000
             * case when s.vector @@ is_name then 3 when s.vector @@ begins_name then 2 when s.vector @@ in_title then 1
                    when s.vector @@ whole then 0 else -1 end
      from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ wanted;
end
$$;
revoke all on function rank_matches(text, tsquery, tsquery, text, text) from public;
grant execute on function rank_matches(text, tsquery, tsquery, text, text) to catalogue_app;
alter function rank_matches(text, tsquery, tsquery, text, text) owner to catalogue_search;

-- Returns words that begin with some letters, each with a product that matches `wanted`. It examines the newest 500 products, or
-- 500 matches if the newest have fewer than 50. `is_all` is false if more products may match.
create or replace function suggest_words(spoken text, wanted tsquery, beginning text) returns table (product_id uuid, word text, is_all boolean)
  language plpgsql stable security definer rows 500
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_indexscan = on as $$
declare
  tenant uuid := current_tenant();
  matches int;
  texts jsonb;
begin
  select count(*) < 500, count(*) filter (where n.vector @@ wanted),
         jsonb_object_agg(n.product_id, n.words) filter (where n.vector @@ wanted)
    into is_all, matches, texts from (
    select s.product_id, s.vector, s.words from product_search s where s.tenant_id = tenant and s.locale = spoken
     order by s.product_id desc limit 500) as n;
  if not is_all and matches < 50 then
    perform set_config('enable_indexscan', 'off', true);
    select count(*) < 500, jsonb_object_agg(n.product_id, n.words) into is_all, texts from (
      select s.product_id, s.words from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ wanted limit 500) as n;
  end if;
  return query
    select distinct t.key::uuid, w.word, suggest_words.is_all from jsonb_each_text(texts) as t, unnest(string_to_array(t.value, ' ')) as w(word)
     where starts_with(w.word, beginning);
end
$$;
revoke all on function suggest_words(text, tsquery, text) from public;
grant execute on function suggest_words(text, tsquery, text) to catalogue_app;
alter function suggest_words(text, tsquery, text) owner to catalogue_search;

-- Searches for the previous Worker.
create or replace function search_products(spoken text, config regconfig, words jsonb) returns table (product_id uuid, rank int)
  language sql stable security definer rows 100 set search_path = pg_catalog, public, pg_temp as $$
  select r.* from understand_search(spoken, config, words) m,
         rank_matches(spoken, m.wanted, m.whole, words -> 0 ->> 'title', words -> 0 ->> 'code') r;
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

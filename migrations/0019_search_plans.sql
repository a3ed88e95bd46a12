-- A search for words must not be answered from the index of their trigrams: that began with tenant and locale too, and read by
-- these alone it looked cheap to the planner, who then looked through all products of a tenant. It begins with expressions now
-- that no other search uses.
grant create on schema public to catalogue_search;
set role catalogue_search;
drop index product_search_words;
create index product_search_words on product_search using gin ((tenant_id::text), (locale || ''), words gin_trgm_ops) with (fastupdate = off);
reset role;
revoke create on schema public from catalogue_search;

create or replace function search_products(spoken text, config regconfig, words jsonb) returns table (product_id uuid, rank int)
  language plpgsql stable security definer rows 100
  set search_path = pg_catalog, public, pg_temp
  set pg_trgm.word_similarity_threshold = 0.36
  -- Looking for one row at most, the planner hopes to meet it soon in the whole table: a word that nobody has is in none.
  set enable_seqscan = off
  set enable_indexscan = off
  as $$
declare
  tenant uuid := current_tenant();
  word record;
  meant tsquery;
  wanted tsquery := '';
  corrected tsquery := '';
  -- Of what is too common to be kept only the last word counts: it may be the beginning of another.
  asked cursor for
    select w.n, w.near, w.letters, plainto_tsquery(config, w.text) || w.exact as exact
      from rows from (jsonb_to_recordset(words) as (text text, exact tsquery, near tsquery, letters text))
           with ordinality as w(text, exact, near, letters, n)
     where numnode(plainto_tsquery(config, w.text)) > 0 or w.n = jsonb_array_length(words);
begin
  for word in asked loop
    wanted := wanted && word.exact;
  end loop;
  if not exists (select from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ wanted) then
    for word in asked loop
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
  return query
    select s.product_id, round(ts_rank(s.vector, wanted) * 1000000)::int
      from product_search s where s.tenant_id = tenant and s.locale = spoken and s.vector @@ wanted;
end
$$;

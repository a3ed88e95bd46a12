-- Search. The one table whose row security is not forced: operators that are not leakproof (full text, trigrams) get no
-- index under a policy. So it belongs to a role that nobody can log in as, the Worker's role has no right to it, and the two
-- functions that stand in front of it are bound to the tenant of the session.

create extension if not exists btree_gin;
-- Loads the library whose setting search_products() names.
select show_trgm('');

do $$
begin
  if not exists (select from pg_roles where rolname = 'catalogue_search') then
    create role catalogue_search nologin nobypassrls;
  end if;
end
$$;
grant catalogue_search to current_user;

-- A product as it reads in one of its tenant's locales.
create table product_search (
  tenant_id uuid not null,
  product_id uuid not null,
  locale text not null,
  -- Stems of the title (weight A) and of the description (C); as they are written, the words of the title (A), and of
  -- vendor, type, tags, handle, SKUs and barcodes (B); and behind ~ what most of those are with one letter left out.
  vector tsvector not null,
  -- The words that a misspelt one may have meant.
  words text not null,
  primary key (tenant_id, product_id, locale),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
);
-- Without fastupdate no search pays for what others have just written.
create index product_search_vector on product_search using gin (tenant_id, locale, vector) with (fastupdate = off);
create index product_search_words on product_search using gin (tenant_id, locale, words gin_trgm_ops) with (fastupdate = off);

alter table product_search enable row level security;
create policy tenant on product_search using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());

-- Keeps the rows of products: [{product_id, locale, config, title, description, lexemes, words}], `lexemes` being the text
-- of a tsvector. The codes of their variants are read here, so that thousands of them need not travel.
create function index_products(products jsonb) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp
  begin atomic
    with given as materialized (
      select * from jsonb_to_recordset(products) as g(
        product_id uuid, locale text, config regconfig, title text, description text, lexemes text, words text)
    ), written as (
      select v.product_id, v.sku, v.barcode from variants v
       where v.tenant_id = current_tenant() and v.status = 'ACTIVE' and (v.sku is not null or v.barcode is not null)
         and v.product_id in (select product_id from given)
    ), codes as (
      -- A tsvector holds a megabyte: the codes get a fifth of it.
      select product_id, code, sum(octet_length(code)) over (partition by product_id order by code) <= 200000 as fits
        from (
          select product_id, regexp_split_to_table(lower(sku), '[\s!-/:-@\[-`{-~]+') as code from written
          union
          select product_id, regexp_replace(lower(each), '[\s!-/:-@\[-`{-~]+', '', 'g') from written, unnest(array[sku, barcode]) as each
        ) as spelled
       where code <> ''
    ), coded as (
      select product_id, string_agg(format('''%s'':1B', code), ' ')::tsvector as vector from codes where fits group by product_id
    )
    insert into product_search (tenant_id, product_id, locale, vector, words)
    select current_tenant(), g.product_id, g.locale,
           setweight(to_tsvector(g.config, g.title), 'A') || setweight(to_tsvector(g.config, g.description), 'C')
             || g.lexemes::tsvector || coalesce(c.vector, ''),
           g.words
      from given g left join coded c using (product_id)
    on conflict (tenant_id, product_id, locale) do update set vector = excluded.vector, words = excluded.words;
  end;

-- The products of the session's tenant that have all words in a locale, with a rank of up to a million.
-- words: [{text, exact, near, letters}]: what is stemmed, the word as it is written (a tsquery), the same with one letter
-- left out (a tsquery or null), and what trigrams are made of (or null). A word that no product has stands for those most
-- like it.
create function search_products(spoken text, config regconfig, words jsonb) returns table (product_id uuid, rank int)
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
            select s.words from product_search s where s.tenant_id = tenant and s.locale = spoken and word.letters <% s.words limit 500
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

revoke all on function index_products(jsonb), search_products(text, regconfig, jsonb) from public;
grant execute on function index_products(jsonb), search_products(text, regconfig, jsonb) to catalogue_app;

grant usage, create on schema public to catalogue_search;
grant select on variants to catalogue_search;
alter table product_search owner to catalogue_search;
alter function index_products(jsonb) owner to catalogue_search;
alter function search_products(text, regconfig, jsonb) owner to catalogue_search;
revoke create on schema public from catalogue_search;

-- What a row embeds of others is bounded in bytes where it is read.

-- The published ones among some metaobjects, each with its definition, for resources whose fields refer to them; null for
-- none. In the order given they are read whole as long as less than 64 kB is stored before them; the others are told by id.
create or replace function published_metaobjects(ids uuid[]) returns json
  language plpgsql stable parallel safe as $$
begin
  return (
    with published as (
      select m.*, d.document as definition, asked.place,
             coalesce(sum(octet_length(m.document) + octet_length(m.fields::text) + octet_length(m.translations::text)
                          + octet_length(d.document))
               over (order by asked.place rows between unbounded preceding and 1 preceding), 0) as before
        from unnest(ids) with ordinality as asked(id, place)
        join metaobjects m on m.tenant_id = current_tenant() and m.id = asked.id
        join metaobject_definitions d on d.tenant_id = m.tenant_id and d.id = m.definition_id
       where m.status = 'ACTIVE'
    )
    select json_agg(
             case when before < 64000 then json_build_object(
               'id', id, 'definitionId', definition_id, 'document', document, 'status', status, 'fields', fields,
               'translations', translations, 'version', version, 'createdAt', instant_text(created_at),
               'updatedAt', instant_text(updated_at), 'definition', definition)
             else json_build_object('id', id) end order by place)
      from published);
end
$$;

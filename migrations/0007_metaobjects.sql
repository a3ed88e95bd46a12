-- Records of the tenant's own kinds: a definition names the fields, a metaobject fills them.

create table metaobject_definitions (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  type text not null check (type ~ '^[a-z][a-z0-9_]{0,63}$'),
  document text not null,
  primary key (tenant_id, id),
  constraint metaobject_definitions_type unique (tenant_id, type),
  constraint metaobject_definitions_external_id unique (tenant_id, external_id)
);
create index metaobject_definitions_created on metaobject_definitions (tenant_id, created_at desc, id);
create index metaobject_definitions_updated on metaobject_definitions (tenant_id, updated_at, id);

create table metaobjects (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid not null,
  version int not null default 0,
  created_at timestamptz not null default '-infinity',
  updated_at timestamptz not null default '-infinity',
  external_id text check (length(external_id) between 1 and 255),
  definition_id uuid not null,
  handle text not null check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(handle) <= 255),
  status text not null check (status in ('DRAFT', 'ACTIVE')),
  -- Values of the fields that are the same in every locale: {"key": "value"}.
  fields jsonb not null,
  -- Values of translatable fields: {"fr-FR": {"key": "value"}}.
  translations jsonb not null,
  -- The metaobjects that the values of all locales refer to. They may be gone: a reference keeps nothing alive.
  reference_ids uuid[] not null,
  document text not null,
  primary key (tenant_id, id),
  constraint metaobjects_definition foreign key (tenant_id, definition_id) references metaobject_definitions (tenant_id, id),
  constraint metaobjects_handle unique (tenant_id, definition_id, handle),
  constraint metaobjects_external_id unique (tenant_id, external_id)
);
create index metaobjects_created on metaobjects (tenant_id, created_at desc, id);
create index metaobjects_created_active on metaobjects (tenant_id, created_at desc, id) where status = 'ACTIVE';
create index metaobjects_updated on metaobjects (tenant_id, updated_at, id);
create index metaobjects_of_definition on metaobjects (tenant_id, definition_id, created_at desc, id);

insert into resource_kinds values ('metaobject_definitions', 110), ('metaobjects', 120);

call protect('metaobject_definitions');
call protect('metaobjects');

-- The published ones among some metaobjects, each with its definition, for resources whose fields refer to them; null for
-- none. It decides nothing: it is a function because one is planned only where it is called, and most rows refer to none.
create function published_metaobjects(ids uuid[]) returns json
  language plpgsql stable parallel safe as $$
begin
  return (select json_agg(shown) from (
    select m.id, m.definition_id as "definitionId", m.document, m.status, m.fields, m.translations, m.version,
           instant_text(m.created_at) as "createdAt", instant_text(m.updated_at) as "updatedAt", d.document as definition
      from metaobjects m
      join metaobject_definitions d on d.tenant_id = m.tenant_id and d.id = m.definition_id
     where m.tenant_id = current_tenant() and m.id = any(ids) and m.status = 'ACTIVE') as shown);
end
$$;

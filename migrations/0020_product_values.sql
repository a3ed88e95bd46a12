-- The values by which lists of products filter and count: of options that active variants use, and of custom fields. Each write refreshes
-- the rows of its products with their stored parts (functions/52_product_parts.sql).
set local lock_timeout = '2s';
create table product_values (
  tenant_id uuid not null,
  -- `option.Color` or `fields.material`. Options and their values have their titles in the tenant's default locale.
  name text collate "C" not null,
  value text collate "C" not null,
  product_id uuid not null,
  -- A bit for each active variant of the product, in their order: whether it has the value. Null for custom fields.
  variants varbit,
  primary key (tenant_id, name, value, product_id) include (variants),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
);
create index product_values_product on product_values (tenant_id, product_id);
call protect('product_values');
-- A name determines its values, and each tenant has its own.
create statistics product_values_statistics (mcv) on tenant_id, name, value from product_values;

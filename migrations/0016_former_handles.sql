-- The earlier handles of products. An address of a shop that contains one leads to the product: GET /api/products/by-handle/{handle}.
set local lock_timeout = '2s';
create table former_handles (
  tenant_id uuid not null,
  handle text not null,
  product_id uuid not null,
  -- The moment since which the product has another handle, or is archived.
  given_up_at timestamptz not null,
  primary key (tenant_id, handle, product_id),
  foreign key (tenant_id, product_id) references products (tenant_id, id) on delete cascade
);
-- The limit of a product's rows, and its deletion.
create index former_handles_product on former_handles (tenant_id, product_id, given_up_at);
call protect('former_handles');

create trigger products_former_handles after update of handle on products for each row
  when (old.handle <> new.handle) execute function record_former_handle();

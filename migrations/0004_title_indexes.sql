-- The table of titles has replaced these orders.
set lock_timeout = '1min';
drop index concurrently if exists products_title;
drop index concurrently if exists option_values_by_title;
drop index concurrently if exists categories_title;
drop index concurrently if exists collections_title;

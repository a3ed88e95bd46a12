-- A tenant's default version has the form of a version, so that a slip of the operator's hand is refused where it is made and
-- not at each of the tenant's requests. Only the form: a new version needs no migration.
alter table tenants add constraint tenants_default_api_version
  check (default_api_version ~ '^([0-9]{4}-(0[1-9]|1[0-2])|unstable)$');

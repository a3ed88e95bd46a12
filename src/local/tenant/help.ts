/** What `--help` says of the command and of each of its parts. */

const everywhere = `  --database-url URL   the owner's connection string (default: DATABASE_URL, then the Postgres of "npm start")
  --json               prints JSON in place of text
  --help               this text`

const naming =
  'TENANT is one of its hosts, the first label of its primary host (acme of acme.example.com), or its id.'

const exitCodes = 'Exit code: 0 done, 1 failed, 2 wrong usage.'

const settings = `  --name TEXT          what people call it
  --issuer URL         who issues its tokens: the claim "iss", exactly
  --audience TEXT      for whom they are: the claim "aud"
  --jwks-uri URL       where the issuer publishes its keys …
  --jwks FILE          … or the keys themselves, public halves: {"keys": […]}
  --algorithm NAME     ES256, RS256 or EdDSA; may be repeated
  --profile NAME       rfc9068, or generic (Auth0, Okta, Entra, Keycloak as they come)
  --default-version V  the API version of requests that name none
  --subscriptions N    webhook subscriptions that it may have, 0 to 1000
  --subscriptions-per-host N   those of one callback host, 0 to 1000
  --prior-price-days N   days before a reduction in which its prior price is looked for, 30 to 36500
  --time-zone ZONE     the IANA name of the zone in which pages show and take its times: Europe/Paris`

/** What `npm run tenant -- --help` prints. */
export const help = `Makes, shows and changes tenants, in any database.

  npm run tenant -- create | list | show | update | suspend | resume | remove

  create     makes a tenant
  list       lists all
  show       shows all settings of one, and how far its locales are
  update     changes settings, hosts and locales
  suspend    answers 503 at its hosts and holds its webhooks back
  resume     serves it again; what waited is delivered
  remove     deletes everything of it, for good

${everywhere}

The service sees what has changed within a minute. ${exitCodes}
Options of each: npm run tenant -- create --help`

/** What `--help` prints of each part. */
export const helpOf = {
  create: `Makes a tenant.

  npm run tenant -- create --host acme.example.com --locale en-US --issuer https://login.example.com/ \\
    --jwks-uri https://login.example.com/.well-known/jwks.json

  --host NAME          a host that it is found by (required); repeated, the first is the primary
  --locale TAG         a language with its country, such as fr-FR (required); repeated, at most ten. The first is the
                       default, and stays it
  --image-host NAME    another host from which /admin loads pictures over https; repeated, at most 20. Pictures of
                       all others are shown as links
${settings}
${everywhere}

Without issuer and keys, on the Postgres of "npm start": a tenant of this machine, whose tokens "npm run token" makes.
Defaults: the host as its name, https://HOST/api as audience, ES256, rfc9068, the current API version, 100 subscriptions
and 20 per callback host, 30 days before a reduction, UTC. ${exitCodes}`,

  list: `Lists all tenants.

  npm run tenant -- list

${everywhere}

${exitCodes}`,

  show: `Shows all settings of a tenant, and how far the locales are that come and go.

  npm run tenant -- show TENANT

${everywhere}

${naming} ${exitCodes}`,

  update: `Changes a tenant. What is not named stays as it is.

  npm run tenant -- update TENANT --add-host shop.acme.com --add-locale de-DE

  --add-host NAME      one more host that it is found by; may be repeated
  --remove-host NAME   one less; may be repeated
  --primary-host NAME  which of its hosts is the primary; the one before it stays a host
  --add-image-host NAME      one more host from which /admin loads pictures over https; may be repeated, at most 20.
                       Pictures of hosts that are neither the tenant's own nor among these are shown as links
  --remove-image-host NAME   one less; may be repeated
  --add-locale TAG     one more locale; may be repeated. Workers know of it within a minute, and read and write it from then
                       on; one that does not yet answers a write with 422 locale.not_declared. Searches in it use its own
                       words within about four minutes, and until then those of another locale of its language, else of the
                       default one
  --remove-locale TAG  one less, with every text that is written in it; may be repeated, cannot be undone. What readers of
                       the default locale saw in it, for want of a text of their own, becomes their text
  --wait               waits until locales are through, two minutes and more; without it the service does what is left
  --yes                asks nothing
${settings}
${everywhere}

${naming} ${exitCodes}`,

  suspend: `Suspends a tenant: its hosts answer 503, its webhooks wait, and nothing of it is deleted for its age.

  npm run tenant -- suspend TENANT

${everywhere}

${naming} ${exitCodes}`,

  resume: `Serves a tenant again. Webhooks that waited are delivered.

  npm run tenant -- resume TENANT

${everywhere}

${naming} ${exitCodes}`,

  remove: `Deletes everything of a suspended tenant, for good, in steps: stopped, it goes on when it is run again.

  npm run tenant -- suspend acme
  npm run export -- --tenant acme
  npm run tenant -- remove acme --exported acme.ndjson

  --exported FILE      the export of it: whole, and of its last change
  --without-export     deletes it without one
  --yes                asks nothing; needed where there is no terminal
${everywhere}

It waits until a minute after the suspension, as Workers may serve the tenant until then, and only then asks.
Uploaded pictures in the bucket, routes and DNS records are left to you.

${naming} ${exitCodes}`,
} as const

/** A part of the command. */
export type Action = keyof typeof helpOf

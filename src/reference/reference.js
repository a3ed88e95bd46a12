// @ts-check
/** Shows the API reference: a document for each version, and calls that carry the token of this tab. */

/** @type {{ createApiReference(target: string, configuration: object): unknown }} */
const scalar = Reflect.get(window, 'Scalar')

/** Kept for the tab alone, under the name that /admin reads as well. */
const kept = 'catalogue.token'

const field = /** @type {HTMLInputElement} */ (document.getElementById('token'))
const state = /** @type {HTMLOutputElement} */ (document.getElementById('state'))

function takeTokenFromAddress() {
  const found = /^#token=([\w.-]+)$/.exec(location.hash)?.[1]
  if (!found) return
  sessionStorage.setItem(kept, found)
  history.replaceState(null, '', location.pathname)
}

function showState() {
  state.textContent = sessionStorage.getItem(kept) ? '✓ calls carry it' : ''
}

/** @param {{ versions: { name: string, deprecated: boolean }[], currentVersion: string }} catalogue */
function configurationOf({ versions, currentVersion }) {
  return {
    sources: versions.toReversed().map(({ name, deprecated }) => ({
      title: deprecated ? `${name} (deprecated)` : name,
      slug: name,
      url: `/api/openapi.json?version=${name}`,
      default: name === currentVersion,
    })),
    // Nothing is asked of anybody but this host.
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    persistAuth: false,
    defaultOpenFirstTag: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    theme: 'none',
    metaData: { title: document.title },
    customFetch: call,
  }
}

/**
 * Calls carry the token of this tab, and go to this host alone.
 * @param {RequestInfo | URL} asked
 * @param {RequestInit} [options]
 */
async function call(asked, options) {
  const request = new Request(asked, options)
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return Response.error()
  const token = sessionStorage.getItem(kept)
  if (token && !/^Bearer \S+\.\S+\.\S+$/.test(request.headers.get('authorization') ?? '')) {
    request.headers.set('Authorization', `Bearer ${token}`)
  }
  const answer = await fetch(request)
  return pathname === '/api/openapi.json' && answer.ok
    ? Response.json(withoutPreset(await answer.json()))
    : answer
}

/**
 * Scalar would send every optional parameter that has an example; here they are offered and not sent. The version stays:
 * a call is tried in the version that is being read.
 * @param {any} description
 */
function withoutPreset(description) {
  const operations = Object.values(description.paths ?? {}).flatMap((path) => Object.values(path))
  const parameters = [
    ...Object.values(description.components?.parameters ?? {}),
    ...operations.flatMap((operation) => operation.parameters ?? []),
  ]
  for (const parameter of parameters) {
    if (!parameter.name || parameter.required || parameter.name === 'Service-Api-Version') continue
    const { schema = {}, example } = parameter
    const value = example ?? schema.examples?.[0] ?? schema.enum?.[0] ?? ''
    delete parameter.example
    parameter.examples = { default: { value, 'x-disabled': true } }
  }
  return description
}

takeTokenFromAddress()
field.value = sessionStorage.getItem(kept) ?? ''
showState()
field.addEventListener('input', () => {
  const token = field.value.trim().replace(/^Bearer /i, '')
  if (token === '') sessionStorage.removeItem(kept)
  else sessionStorage.setItem(kept, token)
  showState()
})
document.getElementById('access')?.addEventListener('submit', (event) => event.preventDefault())

const answer = await fetch('/docs/catalogue.json')
const catalogue = await answer.json()
const tenant = document.getElementById('tenant')
if (tenant) tenant.textContent = `${catalogue.name}: API reference`
scalar.createApiReference('#reference', configurationOf(catalogue))

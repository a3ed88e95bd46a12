// @ts-check
/** Shows the API reference of one version, at once as plain text, and calls that carry the token of this tab. */

/** Kept for the tab alone, under the name that /admin reads as well. */
const kept = 'catalogue.token'

const field = /** @type {HTMLInputElement} */ (document.getElementById('token'))
const state = /** @type {HTMLOutputElement} */ (document.getElementById('state'))

function showState() {
  state.textContent = sessionStorage.getItem(kept) ? '✓ calls carry it' : ''
}

/** @typedef {{ name: string, versions: { name: string, deprecated: boolean }[], currentVersion: string }} Catalogue */

/**
 * The version that the address names (`?api=2026-04`, or `#2026-04/…` of a link from before), else the current one.
 * @param {Catalogue} catalogue
 */
function chosenVersion({ versions, currentVersion }) {
  const [, linked = '', rest = ''] = /^#(\d{4}-\d{2}|unstable)\/(.*)$/.exec(location.hash) ?? []
  if (linked !== '') history.replaceState(null, '', `#${rest}`)
  const named = new URLSearchParams(location.search).get('api') ?? linked
  return versions.some(({ name }) => name === named) ? named : currentVersion
}

/** @param {Catalogue} catalogue @param {string} chosen */
function offerVersions({ versions }, chosen) {
  const select = /** @type {HTMLSelectElement} */ (document.getElementById('version'))
  for (const { name, deprecated } of versions.toReversed()) {
    select.add(new Option(deprecated ? `${name} (deprecated)` : name, name, name === chosen, name === chosen))
  }
  select.addEventListener('change', () => {
    location.search = `?api=${select.value}`
  })
}

/** Names the links and buttons that Scalar shows as a picture alone, and lets the keyboard scroll its blocks of code. */
function completeScalar() {
  for (const block of document.querySelectorAll('#reference code.custom-scroll:not([tabindex])'))
    block.setAttribute('tabindex', '0')
  for (const each of document.querySelectorAll(
    '#reference :is(a.min-w-7, button[class*="copy-button"]):not([aria-label])',
  )) {
    each.setAttribute('aria-label', each.textContent?.trim() || 'Copy')
  }
}

/** @param {object} content */
function configurationOf(content) {
  return {
    content,
    // The page sends requests to this host only.
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
    onLoaded: () => document.getElementById('first')?.remove(),
  }
}

/**
 * Calls carry the token of this tab, and go to this host alone.
 * @param {RequestInfo | URL} asked
 * @param {RequestInit} [options]
 */
async function call(asked, options) {
  const request = new Request(asked, options)
  const { origin } = new URL(request.url)
  if (origin !== location.origin) return Response.error()
  const token = sessionStorage.getItem(kept)
  if (token && !/^Bearer \S+\.\S+\.\S+$/.test(request.headers.get('authorization') ?? '')) {
    request.headers.set('Authorization', `Bearer ${token}`)
  }
  return fetch(request)
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

field.value = sessionStorage.getItem(kept) ?? ''
showState()
field.addEventListener('input', () => {
  const token = field.value.trim().replace(/^Bearer /i, '')
  if (token === '') sessionStorage.removeItem(kept)
  else sessionStorage.setItem(kept, token)
  showState()
})
document.getElementById('access')?.addEventListener('submit', (event) => event.preventDefault())

/**
 * The description with the IRIs of existing resources instead of those of its examples, so that an example that refers to
 * other resources can be sent unchanged.
 * @param {string} version
 */
async function described(version) {
  const [answer, known] = await Promise.all([fetch(`/api/openapi.json?version=${version}`), examplesAtHand()])
  let text = await answer.text()
  for (const [example, address] of known) text = text.replaceAll(`"${example}"`, JSON.stringify(address))
  return withoutPreset(JSON.parse(text))
}

const exampleId = '019aa000-0000-7000-8000-000000000001'

/** @returns {Promise<[string, string][]>} */
async function examplesAtHand() {
  if (!sessionStorage.getItem(kept)) return []
  const first = async (/** @type {string} */ collection) => {
    const answer = await call(`/api/${collection}?itemsPerPage=1`).catch(() => null)
    return answer?.ok ? (await answer.json()).member?.[0] : undefined
  }
  const names = ['products', 'categories', 'collections', 'metaobject_definitions']
  const found = await Promise.all(names.map(async (name) => /** @type {const} */ ([name, await first(name)])))
  return found.flatMap(([name, document]) => {
    if (!document) return []
    /** @type {[string, string][]} */
    const addresses = [[`/api/${name}/${exampleId}`, document['@id']]]
    const [variant] = document.variants ?? []
    const [option] = document.options ?? []
    if (variant)
      addresses.push([`/api/products/${exampleId}/variants/${exampleId}`, variant['@id'] ?? variant])
    if (option) addresses.push([`/api/product_options/${exampleId}`, option['@id'] ?? option])
    return addresses
  })
}

/**
 * The operation that the address names, or the first one, as plain text: Scalar needs seconds on a slow machine.
 * @param {any} description
 */
function showFirst({ info, paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const named = operations.find(({ path, method }) => location.hash.endsWith(`/${method}${path}`))
  const { path, method, operation } = named ?? operations[0] ?? {}
  if (!operation) return
  const written = Object.values(operation.requestBody?.content ?? {})[0]?.examples ?? {}
  const [example = ''] = Object.keys(written)
  const body = components.examples?.[example]?.value
  document
    .getElementById('first')
    ?.replaceChildren(
      textual('p', `${info.title} ${info.version}`),
      textual('h1', operation.summary),
      textual('pre', `${method} ${path}`),
      textual('p', operation.description),
      ...(body === undefined ? [] : [textual('pre', JSON.stringify(body, null, 2))]),
    )
}

/** @param {string} name @param {string} text */
function textual(name, text) {
  const element = document.createElement(name)
  element.textContent = text
  return element
}

/** @returns {Promise<{ createApiReference(target: string, configuration: object): unknown }>} */
async function loadScalar() {
  const script = document.createElement('script')
  script.src = '/docs/scalar.js'
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve
    script.onerror = reject
  })
  document.head.append(script)
  await loaded
  return Reflect.get(window, 'Scalar')
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))

const answer = await fetch('/docs/catalogue.json')
/** @type {Catalogue} */
const catalogue = await answer.json()
const tenant = document.getElementById('tenant')
if (tenant) tenant.textContent = `${catalogue.name}: API reference`
const version = chosenVersion(catalogue)
offerVersions(catalogue, version)
const description = await described(version)
showFirst(description)
await painted()
performance.mark('first operation')
const scalar = await loadScalar()
let isNaming = false
new MutationObserver(() => {
  if (isNaming) return
  isNaming = true
  requestAnimationFrame(() => {
    isNaming = false
    completeScalar()
  })
}).observe(document.body, { childList: true, subtree: true })
scalar.createApiReference('#reference', configurationOf(description))

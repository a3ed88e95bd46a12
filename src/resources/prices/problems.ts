import { declareProblems } from '../../core/problem.ts'

/** What can be wrong with the context in which prices are asked for. */
export const pricingProblems = declareProblems('pricing', {
  resolve_context_incomplete: {
    code: 'PRI-1001',
    status: 422,
    description:
      'Some but not all of resolveContext[channel], resolveContext[country] and resolveContext[at] were sent. Send all three, or none.',
    message: {
      'en-US': 'To calculate prices, please also specify “{parameter}”.',
      'fr-FR': 'Pour calculer les prix, veuillez également indiquer « {parameter} ».',
      'de-DE': 'Bitte geben Sie für die Preisberechnung auch „{parameter}“ an.',
      'es-ES': 'Para calcular los precios, indique también «{parameter}».',
    },
  },
  at_not_utc: {
    code: 'PRI-1002',
    status: 422,
    description:
      'resolveContext[at] is not an ISO 8601 date and time in UTC. Send one with Z, a zero offset or no zone, such as 2026-10-01T12:00:00Z.',
    message: {
      'en-US': 'Please specify the time of the price in UTC, such as 2026-10-01T12:00:00Z.',
      'fr-FR': 'Veuillez indiquer l’heure du prix en UTC, par exemple 2026-10-01T12:00:00Z.',
      'de-DE': 'Bitte geben Sie den Zeitpunkt für den Preis in UTC an, zum Beispiel 2026-10-01T12:00:00Z.',
      'es-ES': 'Indique la hora del precio en UTC, por ejemplo 2026-10-01T12:00:00Z.',
    },
  },
})

import { declareProblems } from '../../core/problem.ts'

/** The problems of the context in which prices are requested. */
export const pricingProblems = declareProblems('pricing', {
  resolve_context_incomplete: {
    code: 'PRI-1001',
    status: 422,
    description:
      'Prices are told for resolveContext[channel], resolveContext[country] and resolveContext[at], of which one or more are missing. Send all three, or none where prices are not needed; a price timeline takes channel and country.',
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
  known_at_not_utc: {
    code: 'PRI-1003',
    status: 422,
    description:
      'resolveContext[knownAt] is not an ISO 8601 date and time in UTC. Send one with Z, a zero offset or no zone, such as 2026-10-01T12:00:00Z.',
    message: {
      'en-US': 'Please specify in UTC as of when prices are to be known, such as 2026-10-01T12:00:00Z.',
      'fr-FR':
        'Veuillez indiquer en UTC à quel moment les prix doivent être connus, par exemple 2026-10-01T12:00:00Z.',
      'de-DE':
        'Bitte geben Sie in UTC an, zu welchem Zeitpunkt die Preise bekannt sein sollen, zum Beispiel 2026-10-01T12:00:00Z.',
      'es-ES': 'Indique en UTC en qué momento deben conocerse los precios, por ejemplo 2026-10-01T12:00:00Z.',
    },
  },
  known_at_before_history: {
    code: 'PRI-1004',
    status: 422,
    description:
      'resolveContext[knownAt] is earlier than the first event of this tenant: nothing was recorded yet. Send that moment or a later one.',
    message: {
      'en-US': 'Nothing was recorded yet at that time. Prices are known from {since} on.',
      'fr-FR': 'Rien n’était encore enregistré à ce moment. Les prix sont connus à partir du {since}.',
      'de-DE': 'Zu diesem Zeitpunkt war noch nichts erfasst. Preise sind ab {since} bekannt.',
      'es-ES': 'En ese momento aún no se había registrado nada. Los precios se conocen desde {since}.',
    },
  },
  at_before_history: {
    code: 'PRI-1005',
    status: 422,
    description:
      'resolveContext[at] is earlier than the first event of this tenant, which is as far as resolveContext[knownAt] can look back. Send that moment or a later one, or leave out resolveContext[knownAt].',
    message: {
      'en-US': 'The history of prices does not reach back that far. It begins at {since}.',
      'fr-FR': 'L’historique des prix ne remonte pas aussi loin. Il commence le {since}.',
      'de-DE': 'Der Preisverlauf reicht nicht so weit zurück. Er beginnt am {since}.',
      'es-ES': 'El historial de precios no llega tan atrás. Comienza el {since}.',
    },
  },
  // PRI-1006 is retired.
  timeline_reversed: {
    code: 'PRI-1007',
    status: 422,
    description: 'from is later than until. Send a span whose end is not before its beginning.',
    message: {
      'en-US': 'The period must not end before it begins.',
      'fr-FR': 'La période ne doit pas se terminer avant de commencer.',
      'de-DE': 'Der Zeitraum darf nicht enden, bevor er beginnt.',
      'es-ES': 'El período no puede terminar antes de empezar.',
    },
  },
  timeline_too_long: {
    code: 'PRI-1008',
    status: 422,
    description:
      'There are more than five years from from to until. Ask for shorter spans, one after the other.',
    message: {
      'en-US': 'The period is too long. Maximum: {years} years.',
      'fr-FR': 'La période est trop longue. Maximum : {years} ans.',
      'de-DE': 'Der Zeitraum ist zu lang. Höchstens {years} Jahre.',
      'es-ES': 'El período es demasiado largo. Máximo: {years} años.',
    },
  },
})

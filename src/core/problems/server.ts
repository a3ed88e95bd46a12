import { declareProblems } from '../problem.ts'

/** What can go wrong on this side, whatever was asked. */
export const serverProblems = declareProblems('server', {
  storage_unavailable: {
    code: 'SRV-1001',
    status: 503,
    description:
      'The database cannot be reached. Retry after the time in Retry-After, a write with the same Idempotency-Key so that it happens once.',
    message: {
      'en-US': 'The service is temporarily unavailable. Please try again shortly.',
      'fr-FR': 'Le service est momentanément indisponible. Veuillez réessayer dans quelques instants.',
      'de-DE': 'Der Dienst ist vorübergehend nicht verfügbar. Bitte versuchen Sie es in Kürze noch einmal.',
      'es-ES': 'El servicio no está disponible temporalmente. Inténtelo de nuevo en breve.',
    },
  },
  timeout: {
    code: 'SRV-1002',
    status: 503,
    description:
      'The database did not answer in time and the request was given up. Retry after the time in Retry-After, a write with the same Idempotency-Key so that it happens once.',
    message: {
      'en-US': 'The request took too long. Please try again shortly.',
      'fr-FR': 'Le traitement de la demande a pris trop de temps. Veuillez réessayer dans quelques instants.',
      'de-DE':
        'Die Bearbeitung der Anfrage hat zu lange gedauert. Bitte versuchen Sie es in Kürze noch einmal.',
      'es-ES': 'La solicitud ha tardado demasiado. Inténtelo de nuevo en breve.',
    },
  },
  unexpected: {
    code: 'SRV-1003',
    status: 500,
    description: 'A defect of the service: no input should lead here. Report the request id in instance.',
    message: {
      'en-US': 'Something went wrong on our side. Please try again or contact support.',
      'fr-FR': 'Une erreur est survenue de notre côté. Veuillez réessayer ou contacter l’assistance.',
      'de-DE':
        'Auf unserer Seite ist ein Fehler aufgetreten. Bitte versuchen Sie es noch einmal oder wenden Sie sich an den Support.',
      'es-ES':
        'Se ha producido un error por nuestra parte. Inténtelo de nuevo o póngase en contacto con el servicio de asistencia.',
    },
  },
  resolver_unavailable: {
    code: 'SRV-1004',
    status: 503,
    description:
      'The name servers that tell whether an address may be called gave no answer. Retry after the time in Retry-After.',
    message: {
      'en-US': 'The address cannot be checked at the moment. Please try again shortly.',
      'fr-FR':
        'L’adresse ne peut pas être vérifiée pour le moment. Veuillez réessayer dans quelques instants.',
      'de-DE': 'Die Adresse kann derzeit nicht geprüft werden. Bitte versuchen Sie es in Kürze noch einmal.',
      'es-ES': 'No se puede comprobar la dirección en este momento. Inténtelo de nuevo en breve.',
    },
  },
  not_ready: {
    code: 'SRV-1006',
    status: 503,
    description:
      'The service cannot serve now: the database cannot be reached, or has not had the migrations that this deployment needs. The member checks tells which. Ask again after the time in Retry-After.',
    message: {
      'en-US': 'The service is not ready yet. Please try again shortly.',
      'fr-FR': 'Le service n’est pas encore prêt. Veuillez réessayer dans quelques instants.',
      'de-DE': 'Der Dienst ist noch nicht bereit. Bitte versuchen Sie es in Kürze noch einmal.',
      'es-ES': 'El servicio aún no está listo. Inténtelo de nuevo en breve.',
    },
  },
  answer_too_large: {
    code: 'SRV-1005',
    status: 503,
    description:
      'The database has more to answer than the service can receive at once, a defect of the service; nothing was changed. Ask for less at once, for instance with a smaller itemsPerPage, and report the request id in instance.',
    message: {
      'en-US': 'There is too much to show at once. Please ask for less, or contact support.',
      'fr-FR':
        'Il y a trop de données à afficher en une fois. Veuillez en demander moins ou contacter l’assistance.',
      'de-DE':
        'Es ist zu viel, um es auf einmal anzuzeigen. Bitte fordern Sie weniger an oder wenden Sie sich an den Support.',
      'es-ES':
        'Hay demasiados datos para mostrarlos de una vez. Solicite menos o póngase en contacto con el servicio de asistencia.',
    },
  },
  tenant_suspended: {
    code: 'SRV-1007',
    status: 503,
    description:
      'The operator of the service has suspended this catalogue. Nothing of it is lost, and webhooks go on when it is resumed; ask the operator when that will be.',
    message: {
      'en-US': 'This catalog is suspended at the moment. Please contact its operator.',
      'fr-FR': 'Ce catalogue est actuellement suspendu. Veuillez contacter son exploitant.',
      'de-DE': 'Dieser Katalog ist zurzeit gesperrt. Bitte wenden Sie sich an den Betreiber.',
      'es-ES': 'Este catálogo está suspendido en este momento. Póngase en contacto con su operador.',
    },
  },
  invalid_settings: {
    code: 'SRV-1008',
    status: 503,
    description:
      'Settings of the service are missing or invalid, so that it cannot serve any request. Its operator must correct them; the log names them. Retry after the time in Retry-After.',
    message: {
      'en-US': 'The service is not set up completely. Please contact its operator.',
      'fr-FR': 'Le service n’est pas entièrement configuré. Veuillez contacter son exploitant.',
      'de-DE': 'Der Dienst ist nicht vollständig eingerichtet. Bitte wenden Sie sich an den Betreiber.',
      'es-ES': 'El servicio no está configurado por completo. Póngase en contacto con su operador.',
    },
  },
})

import { declareProblems } from '../problem.ts'

/** Errors of the service, independent of the request. */
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

/** Conflicts between concurrent writers of a resource. */
export const concurrencyProblems = declareProblems('concurrency', {
  version_mismatch: {
    code: 'CON-1001',
    status: 412,
    description:
      'If-Match names another version than the stored one, which currentVersion gives. Read the resource again, apply the change to it and send the new ETag.',
    message: {
      'en-US':
        'This record has been changed in the meantime (current version: {currentVersion}). Please reload it and try again.',
      'fr-FR':
        'Cet enregistrement a été modifié entre-temps (version actuelle : {currentVersion}). Veuillez le recharger et réessayer.',
      'de-DE':
        'Dieser Datensatz wurde inzwischen geändert (aktuelle Version: {currentVersion}). Bitte laden Sie ihn neu und versuchen Sie es noch einmal.',
      'es-ES':
        'Este registro se ha modificado entretanto (versión actual: {currentVersion}). Vuelva a cargarlo e inténtelo de nuevo.',
    },
  },
  busy: {
    code: 'CON-1002',
    status: 409,
    description:
      'Other writers changed the same resources at each of several attempts, so nothing was written. Send the request again.',
    message: {
      'en-US': 'This record is being changed by others right now. Please try again.',
      'fr-FR': 'Cet enregistrement est en cours de modification par d’autres personnes. Veuillez réessayer.',
      'de-DE': 'Dieser Datensatz wird gerade von anderen geändert. Bitte versuchen Sie es noch einmal.',
      'es-ES': 'Otras personas están modificando este registro. Inténtelo de nuevo.',
    },
  },
})

/** Errors of the Idempotency-Key header. */
export const idempotencyProblems = declareProblems('idempotency', {
  malformed_key: {
    code: 'IDEM-1001',
    status: 400,
    description:
      'Idempotency-Key is empty, too long, or has characters outside visible ASCII. Send a fresh UUID per operation.',
    message: {
      'en-US': 'The request could not be accepted because its identifier is not valid.',
      'fr-FR': 'La demande n’a pas pu être acceptée, car son identifiant n’est pas valide.',
      'de-DE': 'Die Anfrage konnte nicht angenommen werden, weil ihre Kennung ungültig ist.',
      'es-ES': 'No se ha podido aceptar la solicitud porque su identificador no es válido.',
    },
  },
  key_reused: {
    code: 'IDEM-1002',
    status: 422,
    description:
      'The Idempotency-Key was used within the last 24 hours for another request. Send a new key for a new operation, or the same request for a retry.',
    message: {
      'en-US': 'This request differs from an earlier one that has the same identifier. Please start again.',
      'fr-FR':
        'Cette demande diffère d’une demande antérieure portant le même identifiant. Veuillez recommencer.',
      'de-DE':
        'Diese Anfrage weicht von einer früheren mit derselben Kennung ab. Bitte beginnen Sie noch einmal.',
      'es-ES': 'Esta solicitud difiere de otra anterior con el mismo identificador. Empiece de nuevo.',
    },
  },
  in_flight: {
    code: 'IDEM-1003',
    status: 409,
    description:
      'The first request with this Idempotency-Key is still being worked on. Wait a moment, then send the same request again to get its answer.',
    message: {
      'en-US': 'This request is already being processed. Please wait a moment.',
      'fr-FR': 'Cette demande est déjà en cours de traitement. Veuillez patienter un instant.',
      'de-DE': 'Diese Anfrage wird bereits bearbeitet. Bitte warten Sie einen Moment.',
      'es-ES': 'Esta solicitud ya se está procesando. Espere un momento.',
    },
  },
})

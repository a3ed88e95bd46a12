import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on webhook subscriptions and their deliveries. */
export const webhookProblems = declareProblems('webhook', {
  subscription_not_found: {
    code: 'WHK-1001',
    status: 404,
    description:
      'No webhook subscription of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The webhook subscription {id} does not exist.',
      'fr-FR': 'L’abonnement webhook {id} n’existe pas.',
      'de-DE': 'Das Webhook-Abonnement {id} existiert nicht.',
      'es-ES': 'La suscripción de webhook {id} no existe.',
    },
  },
  delivery_not_found: {
    code: 'WHK-1002',
    status: 404,
    description:
      'No delivery of this subscription has this id, or it is older than the 30 days for which deliveries are kept. List the deliveries to see which exist.',
    message: {
      'en-US': 'The delivery {id} does not exist or is no longer kept.',
      'fr-FR': 'La livraison {id} n’existe pas ou n’est plus conservée.',
      'de-DE': 'Die Zustellung {id} existiert nicht oder wird nicht mehr aufbewahrt.',
      'es-ES': 'La entrega {id} no existe o ya no se conserva.',
    },
  },
  callback_url: {
    code: 'WHK-1003',
    status: 422,
    description:
      'callbackUrl is not an address to which webhooks are sent. Send an https URL with a public DNS name, on port 443 or 8443, without user info or fragment.',
    message: {
      'en-US': 'Webhooks cannot be sent to this address ({reason}).',
      'fr-FR': 'Il n’est pas possible d’envoyer des webhooks à cette adresse ({reason}).',
      'de-DE': 'An diese Adresse können keine Webhooks gesendet werden ({reason}).',
      'es-ES': 'No se pueden enviar webhooks a esta dirección ({reason}).',
    },
  },
  limit: {
    code: 'WHK-1004',
    status: 422,
    description:
      'The tenant already has as many webhook subscriptions as it can have. Delete one before adding another.',
    message: {
      'en-US': 'No more webhook subscriptions can be created. Maximum: {maximum}.',
      'fr-FR': 'Le nombre maximal d’abonnements webhook est atteint : {maximum}.',
      'de-DE': 'Die Höchstanzahl der Webhook-Abonnements ist erreicht: {maximum}.',
      'es-ES': 'Se ha alcanzado el número máximo de suscripciones de webhook: {maximum}.',
    },
  },
  host_limit: {
    code: 'WHK-1005',
    status: 422,
    description:
      'The tenant already has as many webhook subscriptions for this callback host as it can have. Use a wildcard topic, or delete one of them.',
    message: {
      'en-US': 'No more webhook subscriptions can be created for {host}. Maximum: {maximum}.',
      'fr-FR': 'Le nombre maximal d’abonnements webhook pour {host} est atteint : {maximum}.',
      'de-DE': 'Die Höchstanzahl der Webhook-Abonnements für {host} ist erreicht: {maximum}.',
      'es-ES': 'Se ha alcanzado el número máximo de suscripciones de webhook para {host}: {maximum}.',
    },
  },
  topic_unknown: {
    code: 'WHK-1006',
    status: 422,
    description:
      'The topic is none of those at /api/webhook_topics, nor one of their wildcards. Send a listed topic, "product/*" or "*".',
    message: {
      'en-US': 'The topic “{topic}” does not exist.',
      'fr-FR': 'Le sujet « {topic} » n’existe pas.',
      'de-DE': 'Das Thema „{topic}“ existiert nicht.',
      'es-ES': 'El tema «{topic}» no existe.',
    },
  },
  include_fields: {
    code: 'WHK-1007',
    status: 422,
    description:
      'A path of includeFields is malformed or has more than eight segments. Correct the path that the message names.',
    message: {
      'en-US': 'The field path “{path}” is not valid for this subscription.',
      'fr-FR': 'Le chemin de champ « {path} » n’est pas valide pour cet abonnement.',
      'de-DE': 'Der Feldpfad „{path}“ ist für dieses Abonnement nicht gültig.',
      'es-ES': 'La ruta de campo «{path}» no es válida para esta suscripción.',
    },
  },
  disabled: {
    code: 'WHK-1008',
    status: 409,
    description: 'The subscription is DISABLED, so nothing is sent for it. Set its status to ACTIVE first.',
    message: {
      'en-US': 'This webhook subscription is disabled. Please enable it first.',
      'fr-FR': 'Cet abonnement webhook est désactivé. Veuillez d’abord l’activer.',
      'de-DE': 'Dieses Webhook-Abonnement ist deaktiviert. Bitte aktivieren Sie es zuerst.',
      'es-ES': 'Esta suscripción de webhook está desactivada. Actívela primero.',
    },
  },
  incomplete: {
    code: 'WHK-1009',
    status: 409,
    description:
      'The subscription has no topic or no callbackUrl, so nothing is sent for it. Set both first.',
    message: {
      'en-US': 'This webhook subscription needs a topic and an address first.',
      'fr-FR': 'Cet abonnement webhook a d’abord besoin d’un sujet et d’une adresse.',
      'de-DE': 'Dieses Webhook-Abonnement braucht zuerst ein Thema und eine Adresse.',
      'es-ES': 'Esta suscripción de webhook necesita primero un tema y una dirección.',
    },
  },
  withheld: {
    code: 'WHK-1010',
    status: 409,
    description:
      'Nothing of this event is sent for the subscription, since whoever aimed it may not read such resources. Somebody who may can write callbackUrl, topic, version and includeFields together.',
    message: {
      'en-US': 'This webhook subscription may not show this: whoever set it up cannot read it.',
      'fr-FR':
        'Cet abonnement webhook ne peut pas montrer ceci : la personne qui l’a configuré ne peut pas le lire.',
      'de-DE':
        'Dieses Webhook-Abonnement darf dies nicht zeigen: Wer es eingerichtet hat, kann es nicht lesen.',
      'es-ES': 'Esta suscripción de webhook no puede mostrar esto: quien la configuró no puede leerlo.',
    },
  },
})

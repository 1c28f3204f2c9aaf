import { instanceOperations } from './instanceOperations';
import { documented, undocumented, type ClientMethod, type Operation } from './operation';

const accountKeys = 'sshKeys/accountKeyRoutes.ts';
const templates = 'templates/templateRoutes.ts';
const secondFactor = 'secondFactor/routes.ts';
const volumes = 'volumes/volumeRoutes.ts';
const priceIncreases = 'instances/priceIncreases.ts';
const timetable = 'instances/timetable.ts';
const notifications = 'notifications.ts';

/** Every method of the client, with both of its ends. */
export const operations: Readonly<Record<ClientMethod, Operation>> = {
  'users.current': documented(
    ['GET /api/v0/users/current/'],
    'docs/service/users.md#current-user',
    'users.ts',
    ['gpuRental.signIn', 'gpuRental.tryDemo', 'gpuRental.instances'],
  ),
  'offers.search': documented(
    ['POST /api/v0/bundles/'],
    'docs/service/offers.md#search',
    'market/searchRoutes.ts',
    [
      'gpuRental.searchOffers',
      'gpuRental.rentFromTemplate',
      'gpuRental.compareOffers',
      'gpuRental.watchSearch',
      'gpuRental.market.show',
    ],
  ),
  'offers.gpuNames': undocumented(
    ['GET /api/v0/gpu_types/'],
    'docs/service/offers.md#gpu-types',
    'market/searchRoutes.ts',
    ['gpuRental.searchOffers', 'gpuRental.rentFromTemplate'],
  ),
  'offers.rent': documented(
    ['PUT /api/v0/asks/{offer_id}/'],
    'docs/service/renting.md#request',
    'instances/rentRoutes.ts',
    ['gpuRental.searchOffers', 'gpuRental.rentFromTemplate'],
  ),
  ...instanceOperations,
  'sshKeys.list': undocumented(['GET /api/v0/ssh/'], 'docs/service/ssh-keys.md#account-keys', accountKeys, [
    'gpuRental.sshKeys',
    'gpuRental.instance.connect',
  ]),
  'sshKeys.add': undocumented(['POST /api/v0/ssh/'], 'docs/service/ssh-keys.md#account-keys', accountKeys, [
    'gpuRental.sshKey.add',
    'gpuRental.sshKey.generate',
  ]),
  'sshKeys.remove': undocumented(
    ['DELETE /api/v0/ssh/{id}/'],
    'docs/service/ssh-keys.md#account-keys',
    accountKeys,
    ['gpuRental.sshKey.delete'],
  ),
  'templates.search': documented(['GET /api/v0/template/'], 'docs/service/templates.md#search', templates, [
    'gpuRental.templates',
    'gpuRental.rentFromTemplate',
  ]),
  'templates.create': documented(['POST /api/v0/template/'], 'docs/service/templates.md#create', templates, [
    'gpuRental.template.create',
    'gpuRental.template.duplicate',
    'gpuRental.template.import',
  ]),
  'templates.edit': documented(['PUT /api/v0/template/'], 'docs/service/templates.md#edit', templates, [
    'gpuRental.template.edit',
  ]),
  'templates.remove': documented(
    ['DELETE /api/v0/template/'],
    'docs/service/templates.md#delete',
    templates,
    ['gpuRental.template.delete'],
  ),
  'apiKeys.list': undocumented(['GET /api/v0/auth/apikeys/'], 'docs/service/api-keys.md#list', 'apiKeys.ts', [
    'gpuRental.account',
    'gpuRental.apiKey.delete',
  ]),
  'apiKeys.create': documented(
    ['POST /api/v0/auth/apikeys/'],
    'docs/service/api-keys.md#create',
    'apiKeys.ts',
    ['gpuRental.apiKey.create'],
  ),
  'apiKeys.remove': undocumented(
    ['DELETE /api/v0/auth/apikeys/{id}/'],
    'docs/service/api-keys.md#delete',
    'apiKeys.ts',
    ['gpuRental.apiKey.delete'],
  ),
  'secrets.list': undocumented(
    ['GET /api/v0/secrets/'],
    'docs/service/environment-variables.md#list',
    'secrets.ts',
    ['gpuRental.account', 'gpuRental.secret.set'],
  ),
  'secrets.create': undocumented(
    ['POST /api/v0/secrets/'],
    'docs/service/environment-variables.md#create',
    'secrets.ts',
    ['gpuRental.secret.set', 'gpuRental.template.edit'],
  ),
  'secrets.update': undocumented(
    ['PUT /api/v0/secrets/'],
    'docs/service/environment-variables.md#update',
    'secrets.ts',
    ['gpuRental.secret.set', 'gpuRental.template.edit'],
  ),
  'secrets.remove': documented(
    ['DELETE /api/v0/secrets/'],
    'docs/service/environment-variables.md#delete',
    'secrets.ts',
    ['gpuRental.secret.delete'],
  ),
  'team.members': undocumented(
    ['GET /api/v0/team/members/'],
    'docs/service/team-roles.md#members',
    'teamRoles.ts',
    ['gpuRental.account'],
  ),
  'team.balances': undocumented(
    ['GET /api/v0/team/balances'],
    'docs/service/team-roles.md#balances',
    'teamRoles.ts',
    ['gpuRental.account'],
  ),
  'teamRoles.get': documented(
    ['GET /api/v0/team/roles/{id}/'],
    'docs/service/team-roles.md#look-up',
    'teamRoles.ts',
    ['gpuRental.teamRole.show'],
  ),
  'teamRoles.list': undocumented(
    ['GET /api/v0/team/roles-full/'],
    'docs/service/team-roles.md#list',
    'teamRoles.ts',
    ['gpuRental.account', 'gpuRental.teamRole.show'],
  ),
  'secondFactor.status': documented(
    ['GET /api/v0/tfa/status/'],
    'docs/service/two-factor.md#status',
    secondFactor,
    [
      'gpuRental.account',
      'gpuRental.tfa.addMethod',
      'gpuRental.tfa.updateMethod',
      'gpuRental.tfa.removeMethod',
    ],
  ),
  'secondFactor.logIn': documented(['POST /api/v0/tfa/'], 'docs/service/two-factor.md#log-in', secondFactor, [
    'gpuRental.signIn',
    'gpuRental.tfa.signIn',
  ]),
  'secondFactor.sendEmail': documented(
    ['POST /api/v0/tfa/email/'],
    'docs/service/two-factor.md#e-mail-code',
    secondFactor,
    ['gpuRental.signIn', 'gpuRental.tfa.addMethod', 'gpuRental.tfa.removeMethod'],
  ),
  'secondFactor.sendSms': documented(
    ['POST /api/v0/tfa/sms/'],
    'docs/service/two-factor.md#sms-code',
    secondFactor,
    ['gpuRental.signIn', 'gpuRental.tfa.addMethod', 'gpuRental.tfa.removeMethod'],
  ),
  'secondFactor.resendSms': documented(
    ['POST /api/v0/tfa/sms/resend/'],
    'docs/service/two-factor.md#sms-code',
    secondFactor,
    ['gpuRental.signIn', 'gpuRental.tfa.addMethod', 'gpuRental.tfa.removeMethod'],
  ),
  'secondFactor.startAuthorization': documented(
    ['POST /api/v0/tfa/authorize-new-method/'],
    'docs/service/two-factor.md#authorize-a-new-method',
    secondFactor,
    ['gpuRental.tfa.addMethod'],
  ),
  'secondFactor.finishAuthorization': documented(
    ['PUT /api/v0/tfa/authorize-new-method/'],
    'docs/service/two-factor.md#authorize-a-new-method',
    secondFactor,
    ['gpuRental.tfa.addMethod'],
  ),
  'secondFactor.setUpTotp': documented(
    ['POST /api/v0/tfa/totp-setup/'],
    'docs/service/two-factor.md#set-up-totp',
    secondFactor,
    ['gpuRental.tfa.addMethod'],
  ),
  'secondFactor.confirmNew': documented(
    ['POST /api/v0/tfa/confirm-new/'],
    'docs/service/two-factor.md#confirm-a-method',
    secondFactor,
    ['gpuRental.tfa.addMethod'],
  ),
  'secondFactor.update': documented(
    ['PUT /api/v0/tfa/update/'],
    'docs/service/two-factor.md#update-a-method',
    secondFactor,
    ['gpuRental.tfa.updateMethod'],
  ),
  'secondFactor.remove': documented(
    ['DELETE /api/v0/tfa/'],
    'docs/service/two-factor.md#remove-a-method',
    secondFactor,
    ['gpuRental.tfa.removeMethod'],
  ),
  'secondFactor.regenerateBackupCodes': documented(
    ['PUT /api/v0/tfa/regen-backup-codes/'],
    'docs/service/two-factor.md#backup-codes',
    secondFactor,
    ['gpuRental.tfa.regenerateBackupCodes'],
  ),
  'metrics.gpus': documented(
    ['GET /api/v0/metrics/gpu/current/'],
    'docs/service/market.md#query',
    'hosting/metricsRoutes.ts',
    ['gpuRental.market.show', 'gpuRental.machine.setMinimumBid'],
  ),
  'earnings.report': documented(
    ['GET /api/v0/users/{user_id}/machine-earnings/'],
    'docs/service/billing.md#earnings',
    'hosting/earningsRoutes.ts',
    ['gpuRental.earnings.show'],
  ),
  'charges.list': undocumented(
    ['GET /api/v0/charges/'],
    'docs/service/billing.md#charges',
    'billing/chargeRoutes.ts',
    ['gpuRental.spending.show'],
  ),
  'invoices.list': undocumented(
    ['GET /api/v1/invoices/'],
    'docs/service/billing.md#invoices',
    'billing/invoiceRoutes.ts',
    ['gpuRental.spending.show'],
  ),
  'auditLog.list': undocumented(
    ['GET /api/v0/audit_logs/'],
    'docs/service/audit-log.md#list',
    'auditLog.ts',
    ['gpuRental.activity.show', 'gpuRental.instance.open'],
  ),
  'deployments.list': undocumented(
    ['GET /api/v0/deployments/'],
    'docs/service/deployments.md#list',
    'deployments.ts',
    ['gpuRental.deployment.stop', 'gpuRental.deployment.start'],
  ),
  'deployments.get': undocumented(
    ['GET /api/v0/deployment/{id}/'],
    'docs/service/deployments.md#list',
    'deployments.ts',
  ),
  'deployments.start': undocumented(
    ['POST /api/v0/deployment/{id}/start/'],
    'docs/service/deployments.md#start',
    'deployments.ts',
    ['gpuRental.deployment.start'],
  ),
  'deployments.stop': documented(
    ['POST /api/v0/deployment/{id}/stop/'],
    'docs/service/deployments.md#stop',
    'deployments.ts',
    ['gpuRental.deployment.stop'],
  ),
  'volumes.list': undocumented(['GET /api/v0/volumes/'], 'docs/service/volumes.md#list', volumes, [
    'gpuRental.instances',
    'gpuRental.volume.rent',
    'gpuRental.searchOffers',
    'gpuRental.rentFromTemplate',
  ]),
  'volumes.search': undocumented(
    ['POST /api/v0/volumes/search/'],
    'docs/service/volumes.md#search',
    volumes,
    ['gpuRental.searchOffers', 'gpuRental.rentFromTemplate'],
  ),
  'volumes.create': undocumented(['PUT /api/v0/volumes/'], 'docs/service/volumes.md#rent', volumes, [
    'gpuRental.volume.create',
  ]),
  'volumes.clone': undocumented(['POST /api/v0/volumes/copy/'], 'docs/service/volumes.md#clone', volumes, [
    'gpuRental.volume.clone',
  ]),
  'volumes.remove': undocumented(['DELETE /api/v0/volumes/'], 'docs/service/volumes.md#delete', volumes, [
    'gpuRental.volume.delete',
  ]),
  'priceIncreases.list': undocumented(
    ['GET /api/v0/instances/pending-price-increases/'],
    'docs/service/instances.md#price-increases',
    priceIncreases,
    ['gpuRental.reviewPriceIncreases', 'gpuRental.instances'],
  ),
  'priceIncreases.accept': undocumented(
    ['PUT /api/v0/instances/accept-price-increase/'],
    'docs/service/instances.md#price-increases',
    priceIncreases,
    ['gpuRental.reviewPriceIncreases'],
  ),
  'priceIncreases.reject': undocumented(
    ['PUT /api/v0/instances/reject-price-increase/'],
    'docs/service/instances.md#price-increases',
    priceIncreases,
    ['gpuRental.reviewPriceIncreases'],
  ),
  'timetable.list': undocumented(
    ['GET /api/v0/commands/schedule_job/'],
    'docs/service/timetable.md#list',
    timetable,
    ['gpuRental.instance.setSchedule', 'gpuRental.instances'],
  ),
  'timetable.create': undocumented(
    ['POST /api/v0/commands/schedule_job/'],
    'docs/service/timetable.md#create',
    timetable,
    ['gpuRental.instance.setSchedule', 'gpuRental.instances'],
  ),
  'timetable.change': undocumented(
    ['PUT /api/v0/commands/schedule_job/{id}/'],
    'docs/service/timetable.md#change-and-delete',
    timetable,
    ['gpuRental.instance.setSchedule', 'gpuRental.instances'],
  ),
  'timetable.remove': undocumented(
    ['DELETE /api/v0/commands/schedule_job/{id}/'],
    'docs/service/timetable.md#change-and-delete',
    timetable,
    ['gpuRental.instance.setSchedule', 'gpuRental.instances'],
  ),
  'notifications.types': undocumented(
    ['GET /api/v0/notification-types/'],
    'docs/service/notifications.md#types',
    notifications,
    ['gpuRental.notices'],
  ),
  'notifications.preferences': undocumented(
    ['GET /api/v0/users/{user_id}/notification-prefs/'],
    'docs/service/notifications.md#preferences',
    notifications,
    ['gpuRental.notices'],
  ),
  'notifications.setPreferences': undocumented(
    ['PUT /api/v0/users/{user_id}/notification-prefs/'],
    'docs/service/notifications.md#preferences',
    notifications,
    ['gpuRental.notices'],
  ),
  'notifications.webhooks': undocumented(
    ['GET /api/v0/webhooks/'],
    'docs/service/notifications.md#webhooks',
    notifications,
    ['gpuRental.notices'],
  ),
  'notifications.createWebhook': undocumented(
    ['POST /api/v0/webhooks/'],
    'docs/service/notifications.md#webhooks',
    notifications,
    ['gpuRental.notices'],
  ),
  'notifications.removeWebhook': undocumented(
    ['DELETE /api/v0/webhooks/{id}/'],
    'docs/service/notifications.md#webhooks',
    notifications,
    ['gpuRental.notices'],
  ),
  'notifications.rotateWebhookSecret': undocumented(
    ['POST /api/v0/webhooks/{id}/rotate-secret/'],
    'docs/service/notifications.md#webhooks',
    notifications,
    ['gpuRental.notices'],
  ),
  'notifications.testWebhook': undocumented(
    ['POST /api/v0/webhooks/{id}/test/'],
    'docs/service/notifications.md#webhooks',
    notifications,
    ['gpuRental.notices'],
  ),
};

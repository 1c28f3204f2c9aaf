/** What the product knows of jobs before their code is loaded. */

/** Returns the name of the entry in the secret store for the secrets of an account's jobs. */
export function jobSecretsKey(accountKey: string): string {
  return `gpuRental.jobSecrets.${accountKey}`;
}

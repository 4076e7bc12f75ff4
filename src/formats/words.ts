import type { Failure, Finding } from './finding.js';

/** The message and, on a line each, the steps that lead there: for services that show one text. */
export const wordsOf = ({ message, witness }: Finding): string =>
  [message, ...witness.map(({ line, text }) => `- ${text.includes(`line ${line}`) ? text : `${text} (line ${line})`}`)].join('\n');

export const failureWords = ({ message }: Failure): string => `This file cannot be analysed: ${message}`;

export const toolName = 'eslint-plugin-advisory-lock';
export const toolUrl = 'https://github.com/eslint-plugin-advisory-lock/eslint-plugin-advisory-lock';

/** Unique among the findings of a file. */
export const identityOf = ({ fingerprint, occurrence }: Finding): string => `${fingerprint}:${occurrence}`;

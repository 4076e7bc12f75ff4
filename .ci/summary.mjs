// Prints `N passed, N failed` from vitest's JSON report and the names of failed checks; exits non-zero on any failure.
import { readFileSync } from 'node:fs';

const [reportFile = '', ...failedChecks] = process.argv.slice(2);
const { passed, failures } = tests();
for (const name of failures) console.log(`failed: ${name}`);
for (const name of failedChecks) console.log(`failed check: ${name}`);
const failed = failures.length + failedChecks.length;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function tests() {
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return { passed: 0, failures: ['the tests made no report'] };
  }
  const failures = report.testResults.flatMap((file) => {
    const failedTests = file.assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    // A file that could not be loaded has no tests to fail.
    return file.status === 'failed' && failedTests.length === 0 ? [file.name] : failedTests;
  });
  if (!report.success && failures.length === 0) failures.push('the test run (see its output)');
  return { passed: report.numPassedTests, failures };
}

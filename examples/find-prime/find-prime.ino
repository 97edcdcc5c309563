// Loop 1 looks for all primes below 80000 (Qduino paper, section III) with half of the processor.
// Loops 2 and 3 only burn time. They get their budgets and what nobody else wants, but never a
// microsecond of loop 1's half.

const long limit = 80000;

bool isPrime(long n) {
  if (n % 2 == 0)
    return n == 2;
  for (long d = 3; d * d <= n; d += 2)
    if (n % d == 0)
      return false;
  return n > 1;
}

long findPrime() {
  long found = 0;
  for (long n = 2; n < limit; n++)
    if (isPrime(n))
      found++;
  return found;
}

void setup() {
  Serial.begin(115200);
}

void loop(1, 50, 100) {
  unsigned long start = millis();
  long found = findPrime();
  Serial.print(found);
  Serial.print(" primes in ms: ");
  Serial.println(millis() - start);
}

volatile unsigned long burnt2, burnt3;

void loop(2, 20, 100) {
  burnt2 = burnt2 + 1;
}

void loop(3, 20, 100) {
  burnt3 = burnt3 + 1;
}

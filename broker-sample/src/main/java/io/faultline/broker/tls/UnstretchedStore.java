package io.faultline.broker.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1EncodableVector;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERBMPString;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.DERSet;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.Attribute;
import org.bouncycastle.asn1.pkcs.AuthenticatedSafe;
import org.bouncycastle.asn1.pkcs.CertBag;
import org.bouncycastle.asn1.pkcs.ContentInfo;
import org.bouncycastle.asn1.pkcs.EncryptedPrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.EncryptionScheme;
import org.bouncycastle.asn1.pkcs.KeyDerivationFunc;
import org.bouncycastle.asn1.pkcs.MacData;
import org.bouncycastle.asn1.pkcs.PBES2Parameters;
import org.bouncycastle.asn1.pkcs.PBKDF2Params;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.Pfx;
import org.bouncycastle.asn1.pkcs.SafeBag;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.DigestInfo;
import org.bouncycastle.asn1.x509.KeyPurposeId;

/**
 * Makes key stores and trust stores in PKCS #12 (RFC 7292), which the JDK, keytool and OpenSSL read, for passwords that nobody can guess.
 *
 * <p>The JDK's own writer hashes the password 10,000 times for each of its keys, and so does whoever reads the store: more work than the rest of a broker's start. RFC 8018,
 * section 4.2, says what the count is for: it makes the search through the passwords that people choose dearer. A random password of 128 bits cannot be searched for, whatever a try
 * costs, so it is hashed once. Certificates, which everybody is shown, are not encrypted.
 */
final class UnstretchedStore {

    private static final int ITERATIONS = 1;
    private static final int SALT_BYTES = 16;
    private static final int BLOCK_BYTES = 16;
    private static final int KEY_BYTES = 32;
    private static final byte[] KEY_ID = {1};

    /** Marks a certificate as trusted, for any purpose: without this attribute of Oracle's, the JDK leaves it out. */
    private static final ASN1ObjectIdentifier TRUSTED_KEY_USAGE =
            new ASN1ObjectIdentifier("2.16.840.1.113894.746875.1.1");

    private final SecureRandom random = new SecureRandom();
    private final SecretKey password;

    /**
     * Makes a writer.
     *
     * @param password a password that is as hard to guess as a key
     * @throws GeneralSecurityException if the JDK has no password-based encryption
     */
    UnstretchedStore(String password) throws GeneralSecurityException {
        this.password = SecretKeyFactory.getInstance("PBE").generateSecret(new PBEKeySpec(password.toCharArray()));
    }

    /**
     * A store with a private key.
     *
     * @param alias what the key is called
     * @param key the key, which is encrypted
     * @param chain its certificate, and those that lead from there to the authority
     * @return the store's bytes
     */
    byte[] ofKey(String alias, PrivateKey key, X509Certificate... chain) throws GeneralSecurityException, IOException {
        SafeBag keyBag =
                new SafeBag(PKCSObjectIdentifiers.pkcs8ShroudedKeyBag, encrypted(key), new DERSet(new ASN1Encodable[] {
                    name(alias), keyId()
                }));
        ASN1EncodableVector certificates = new ASN1EncodableVector();
        for (X509Certificate certificate : chain) {
            // The id ties the certificate to its key; the others are found by their names.
            certificates.add(bag(certificate, certificates.size() == 0 ? new DERSet(keyId()) : null));
        }
        return store(data(new DERSequence(keyBag)), data(new DERSequence(certificates)));
    }

    /**
     * A store with the certificate of an authority.
     *
     * @param alias what the authority is called
     * @param certificate its certificate
     * @return the store's bytes
     */
    byte[] ofAuthority(String alias, X509Certificate certificate) throws GeneralSecurityException, IOException {
        Attribute trusted = new Attribute(TRUSTED_KEY_USAGE, new DERSet(KeyPurposeId.anyExtendedKeyUsage));
        return store(data(new DERSequence(bag(certificate, new DERSet(new ASN1Encodable[] {name(alias), trusted})))));
    }

    private static Attribute name(String alias) {
        return new Attribute(PKCSObjectIdentifiers.pkcs_9_at_friendlyName, new DERSet(new DERBMPString(alias)));
    }

    private static Attribute keyId() {
        return new Attribute(PKCSObjectIdentifiers.pkcs_9_at_localKeyId, new DERSet(new DEROctetString(KEY_ID)));
    }

    private static SafeBag bag(X509Certificate certificate, DERSet attributes) throws GeneralSecurityException {
        CertBag bag = new CertBag(PKCSObjectIdentifiers.x509Certificate, new DEROctetString(certificate.getEncoded()));
        return new SafeBag(PKCSObjectIdentifiers.certBag, bag, attributes);
    }

    private EncryptedPrivateKeyInfo encrypted(PrivateKey key) throws GeneralSecurityException {
        byte[] salt = bytes(SALT_BYTES);
        byte[] vector = bytes(BLOCK_BYTES);
        Cipher cipher = Cipher.getInstance("PBEWithHmacSHA256AndAES_256");
        cipher.init(Cipher.ENCRYPT_MODE, password, new PBEParameterSpec(salt, ITERATIONS, new IvParameterSpec(vector)));
        PBKDF2Params derivation = new PBKDF2Params(
                salt,
                ITERATIONS,
                KEY_BYTES,
                new AlgorithmIdentifier(PKCSObjectIdentifiers.id_hmacWithSHA256, DERNull.INSTANCE));
        PBES2Parameters parameters = new PBES2Parameters(
                new KeyDerivationFunc(PKCSObjectIdentifiers.id_PBKDF2, derivation),
                new EncryptionScheme(NISTObjectIdentifiers.id_aes256_CBC, new DEROctetString(vector)));
        return new EncryptedPrivateKeyInfo(
                new AlgorithmIdentifier(PKCSObjectIdentifiers.id_PBES2, parameters), cipher.doFinal(key.getEncoded()));
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private static ContentInfo data(ASN1Encodable content) throws IOException {
        return new ContentInfo(
                PKCSObjectIdentifiers.data,
                new DEROctetString(content.toASN1Primitive().getEncoded(ASN1Encoding.DER)));
    }

    private byte[] store(ContentInfo... contents) throws GeneralSecurityException, IOException {
        byte[] safe = new AuthenticatedSafe(contents).getEncoded(ASN1Encoding.DER);
        byte[] salt = bytes(SALT_BYTES);
        Mac mac = Mac.getInstance("HmacPBESHA256");
        mac.init(password, new PBEParameterSpec(salt, ITERATIONS));
        DigestInfo digest = new DigestInfo(
                new AlgorithmIdentifier(NISTObjectIdentifiers.id_sha256, DERNull.INSTANCE), mac.doFinal(safe));
        ContentInfo content = new ContentInfo(PKCSObjectIdentifiers.data, new DEROctetString(safe));
        return new Pfx(content, new MacData(digest, salt, ITERATIONS)).getEncoded(ASN1Encoding.DER);
    }
}

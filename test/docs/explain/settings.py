"""Examples of support/diagnostics/Settings.def."""
from explain.kinds import config, file

EXAMPLES = {
    "E0501": config(),
    "E0502": config(),
    "E0503": file("net.cfg", "yarrow build net.cfg --brief"),
    "N0504": config(),
    "E0505": file("mine.json", "yarrow targets mine.json"),
    "E0506": file("net.cfg", "yarrow build net.cfg --brief",
                  "{}\nbin = net.bin\ncalibration_data = samples.npy"),
    "W0508": config(),
    "W0510": config(),
}
